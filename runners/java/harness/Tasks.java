package harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What Linux counts for the threads of this process: the JVM's own method gives CPU time in steps of a clock
 * tick, ten milliseconds, which is as long as a turn. The reading thread's CPU time is left out: it runs, and
 * Linux brings the count up to date when a thread stops.
 */
final class Tasks {
    private static final Path FOLDER = Path.of("/proc/self/task");
    private static final byte[] SWITCHES = "nonvoluntary_ctxt_switches:".getBytes(StandardCharsets.US_ASCII);

    private static final class Task {
        FileChannel schedule, status;
        long cpu, runs, preemptions;
        boolean alive;

        /** Lets go of the files of a thread that has ended. */
        boolean ended() {
            if (!alive) {
                close(schedule);
                close(status);
            }
            return !alive;
        }

        private static void close(FileChannel file) {
            try {
                if (file != null) {
                    file.close();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Map<String, Task> tasks = new HashMap<>();
    private final String own;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
    private int at; // in the buffer

    /** CPU time in nanoseconds of all threads but this one, and of those that have ended. */
    long cpu;
    /** Involuntary context switches of all threads, and of those that have ended. */
    long preemptions;

    private Tasks(String own) {
        this.own = own;
    }

    /** Gives null where the system does not tell. It belongs to the thread that opens it. */
    static Tasks open() {
        try {
            String own = Path.of("/proc/thread-self").toRealPath().getFileName().toString();
            Tasks t = new Tasks(own);
            t.read();
            return t.tasks.containsKey(own) && t.fill(t.tasks.get(own).schedule) && t.number() > 0 ? t : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    void read() {
        for (Task t : tasks.values()) {
            t.alive = false;
        }
        String[] names = FOLDER.toFile().list();
        for (String name : names == null ? new String[0] : names) {
            tasks.computeIfAbsent(name, Tasks::find).alive = true;
        }
        tasks.values().removeIf(Task::ended); // what they had used still counts
        for (Map.Entry<String, Task> e : tasks.entrySet()) {
            read(e.getValue(), e.getKey().equals(own));
        }
    }

    /** Most threads sleep. The file that tells of switches is dear, so it is read only of those that have run. */
    private void read(Task t, boolean own) {
        if (!fill(t.schedule)) {
            return;
        }
        long used = number(); // nanoseconds on a CPU
        number(); // and waiting for one
        long runs = number();
        if (used > t.cpu && !own) {
            cpu += used - t.cpu;
            t.cpu = used;
        }
        if (runs == t.runs) {
            return;
        }
        t.runs = runs;
        long switches = switches(t.status);
        if (switches > t.preemptions) {
            preemptions += switches - t.preemptions;
            t.preemptions = switches;
        }
    }

    private static Task find(String name) {
        Task t = new Task();
        t.schedule = channel(name, "schedstat");
        t.status = channel(name, "status");
        return t;
    }

    private static FileChannel channel(String task, String file) {
        Path path = FOLDER.resolve(task).resolve(file);
        try {
            return Files.isReadable(path) ? FileChannel.open(path) : null;
        } catch (IOException e) {
            return null; // the thread has just ended
        }
    }

    private long switches(FileChannel file) {
        if (!fill(file)) {
            return 0;
        }
        for (int i = buffer.limit() - SWITCHES.length; i >= 0; i--) { // it is the last line
            if (startsAt(i)) {
                at = i + SWITCHES.length;
                return number();
            }
        }
        return 0;
    }

    private boolean startsAt(int i) {
        for (int k = 0; k < SWITCHES.length; k++) {
            if (buffer.get(i + k) != SWITCHES[k]) {
                return false;
            }
        }
        return true;
    }

    /** The next number. */
    private long number() {
        while (at < buffer.limit() && buffer.get(at) <= ' ') {
            at++;
        }
        long n = 0;
        for (; at < buffer.limit() && buffer.get(at) >= '0' && buffer.get(at) <= '9'; at++) {
            n = 10 * n + buffer.get(at) - '0';
        }
        return n;
    }

    private boolean fill(FileChannel file) {
        if (file == null) {
            return false;
        }
        buffer.clear();
        at = 0;
        try {
            int n = file.read(buffer, 0);
            buffer.flip();
            return n > 0;
        } catch (IOException e) {
            return false; // the thread has ended
        }
    }
}

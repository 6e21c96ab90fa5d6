package harness;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What the process has used so far; -1 where that cannot be told. */
public final class Usage {
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();
    private static final Tasks TASKS = Tasks.open();

    /** CPU time of all threads, in nanoseconds. */
    public final long cpu;
    /** Involuntary context switches of all threads. */
    public final long preemptions;
    /** Garbage collections that have ended. */
    public final long collections;

    private Usage(long cpu, long preemptions, long collections) {
        this.cpu = cpu;
        this.preemptions = preemptions;
        this.collections = collections;
    }

    /** Reads from the cheap to the dear or back, so that what reading costs lies outside of a turn. */
    public static Usage before() {
        long collections = collected();
        if (TASKS == null) {
            return new Usage(SYSTEM.getProcessCpuTime(), -1, collections);
        }
        TASKS.read();
        return new Usage(TASKS.cpu + THREADS.getCurrentThreadCpuTime(), TASKS.preemptions, collections);
    }

    /** What was used since an earlier reading. */
    public static Usage since(Usage before) {
        long own = THREADS.getCurrentThreadCpuTime();
        long process = TASKS == null ? SYSTEM.getProcessCpuTime() : -1;
        long collections = collected() - before.collections;
        if (TASKS == null) {
            return new Usage(process < 0 ? -1 : process - before.cpu, -1, collections);
        }
        TASKS.read();
        return new Usage(TASKS.cpu + own - before.cpu, TASKS.preemptions - before.preemptions, collections);
    }

    private static long collected() {
        long n = 0;
        for (GarbageCollectorMXBean c : COLLECTORS) {
            n += c.getCollectionCount();
        }
        return n;
    }

    /** Bytes that this thread has allocated so far, exactly. */
    public static long allocated() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** The smallest difference that two readings of the clock show. */
    public static long clockStep() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20_000; i++) {
            long start = System.nanoTime();
            long step = System.nanoTime() - start;
            while (step <= 0) {
                step = System.nanoTime() - start;
            }
            least = Math.min(least, step);
        }
        return least;
    }

    /** The names of the collectors that this JVM has chosen. */
    public static String collectors() {
        StringBuilder names = new StringBuilder();
        for (GarbageCollectorMXBean c : COLLECTORS) {
            names.append(names.length() == 0 ? "" : ", ").append(c.getName());
        }
        return names.toString();
    }
}

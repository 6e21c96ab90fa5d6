package runner;

import codecs.Codecs;
import control.Request;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import transports.Transports;

/**
 * Hands everything over to a second JVM where documents are so large that they, and the objects made of them, do not
 * fit the heap, which is as small as most samples allow and cannot be made larger while a JVM runs.
 */
final class Relay {
    /** Set in the second JVM. */
    private static final String SECOND = "runner.second";

    /** How many times all documents' bytes a heap should hold for each codec, since a turn may need the objects of all, and how much more. */
    private static final int TIMES = 8;
    private static final long MORE = 40L << 20;

    /** How much a server or client takes besides. */
    private static final long WIRE = 40L << 20;

    private final Process process;
    private final InputStream replies;

    private Relay(Process process) {
        this.process = process;
        replies = new BufferedInputStream(process.getInputStream(), 1 << 16);
    }

    /** No second JVM, or one with the default for the largest heap, which is a quarter of the machine's memory. */
    static final long NONE = 0, DEFAULT = Long.MAX_VALUE;

    /** How large the second JVM's heap may become that a request needs, in bytes, or NONE or DEFAULT. */
    static long heap(Request q) throws IOException {
        if (!q.text("request").equals("prepare") || Boolean.getBoolean(SECOND)) {
            return NONE;
        }
        long bytes = MORE;
        for (Request sample : q.objects("samples")) {
            for (String name : q.texts("codecs")) {
                Codecs.Description d = Codecs.find(name);
                File file = d == null ? null : new File(sample.object("files").text(d.documents));
                if (file != null && file.isFile()) {
                    bytes += Math.max(TIMES * file.length(), footprint(d, file));
                }
            }
        }
        boolean wire = !Transports.ALL.isEmpty();
        if (bytes + (wire ? WIRE : 0) <= Runtime.getRuntime().maxMemory()) {
            return NONE;
        }
        return wire ? DEFAULT : 2 * bytes; // a service has the default heap; what decodes and encodes alone, room to collect in
    }

    private static long footprint(Codecs.Description d, File file) throws IOException {
        int times = d.codec().footprint();
        return times > TIMES ? times * Documents.longest(file) : 0;
    }

    /** Starts a JVM like this one, but for the largest heap. */
    static Relay start(long heap) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!flag.startsWith("-Xmx")) {
                command.add(flag);
            }
        }
        if (heap != DEFAULT) {
            command.add("-Xmx" + heap);
        }
        command.addAll(List.of("-D" + SECOND + "=true", "-cp", System.getProperty("java.class.path"), "runner.Main"));
        return new Relay(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Passes a request on, and gives the reply. */
    byte[] exchange(byte[] line) throws IOException {
        OutputStream requests = process.getOutputStream();
        requests.write(line);
        requests.write('\n');
        requests.flush();
        byte[] reply = Main.readLine(replies);
        if (reply == null) {
            throw new IOException("the second JVM has ended");
        }
        return reply;
    }
}

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
    private static final int TIMES = 7;
    private static final long MORE = 40L << 20;

    /** How much a server or client takes besides. */
    private static final long WIRE = 40L << 20;

    /**
     * How many times what it needs a second JVM has, to collect in. With the default, a quarter of the machine's memory,
     * it would go on to fresh pages for dozens of requests, of which each takes several times as long as later ones.
     */
    private static final int ROOM = 2;

    private final Process process;
    private final InputStream replies;

    private Relay(Process process) {
        this.process = process;
        replies = new BufferedInputStream(process.getInputStream(), 1 << 16);
    }

    /** How large the second JVM's heap may become that a request needs, in bytes; 0 if this one will do. */
    static long heap(Request q) throws IOException {
        if (!q.text("request").equals("prepare") || Boolean.getBoolean(SECOND)) {
            return 0;
        }
        long bytes = MORE + (Transports.ALL.isEmpty() ? 0 : WIRE);
        for (Request sample : q.objects("samples")) {
            for (String name : q.texts("codecs")) {
                Codecs.Description d = Codecs.find(name);
                File file = d == null ? null : new File(sample.object("files").text(d.documents));
                if (file != null && file.isFile()) {
                    bytes += Math.max(TIMES * file.length(), d.codec().footprint() * Documents.longest(file));
                }
            }
        }
        return bytes <= Runtime.getRuntime().maxMemory() ? 0 : ROOM * bytes;
    }

    /** Starts a JVM like this one with a larger heap. */
    static Relay start(long heap) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!flag.startsWith("-Xmx")) {
                command.add(flag);
            }
        }
        command.addAll(List.of("-Xmx" + heap, "-D" + SECOND + "=true", "-cp", System.getProperty("java.class.path"), "runner.Main"));
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

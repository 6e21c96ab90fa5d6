package runner;

import control.Reply;
import control.Request;
import harness.Failure;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Holds codecs and times them. It speaks wirecost's runner protocol: requests on standard input, replies
 * on standard output.
 */
public final class Main {
    /** The longest request that is read. */
    private static final int MAX_LINE = 16 << 20;

    /** Documents may be nested deeply, and the codecs follow them by recursion. Only what is used of it takes memory. */
    private static final long STACK = 256L << 20;

    private static int status;

    public static void main(String[] args) throws InterruptedException {
        System.setOut(System.err); // replies have the real standard output for themselves
        Thread main = new Thread(null, Main::work, "runner", STACK);
        main.start();
        main.join();
        System.exit(status);
    }

    private static void work() {
        try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
            serve(new BufferedInputStream(System.in, 1 << 16), out);
        } catch (IOException | RuntimeException e) {
            System.err.println("runner: " + e);
            status = 1;
        }
    }

    /** Answers requests until one asks to stop or the input ends. */
    private static void serve(InputStream in, OutputStream out) throws IOException {
        Server server = new Server();
        for (byte[] line; (line = readLine(in)) != null; ) {
            Answer a = answer(server, line);
            out.write((a.text + '\n').getBytes(StandardCharsets.UTF_8));
            if (a.last) {
                return;
            }
        }
    }

    private static byte[] readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(1 << 12);
        for (int c; (c = in.read()) != '\n'; ) {
            if (c < 0) {
                return null; // the end, perhaps in the middle of a line
            }
            if (line.size() == MAX_LINE) {
                throw new IOException("a request is longer than " + (MAX_LINE >> 20) + " MB");
            }
            line.write(c);
        }
        return line.toByteArray();
    }

    record Answer(String text, boolean last) {}

    /** Gives the reply to one request. What goes wrong inside a codec is an error of that request only. */
    private static Answer answer(Server server, byte[] line) {
        long id = 0;
        try {
            Request q = Request.read(line);
            id = q.integer("id");
            Reply r = new Reply(id);
            boolean last = server.answer(q, r);
            return new Answer(r.end(), last);
        } catch (Failure e) {
            return failure(id, e.member, e.getMessage());
        } catch (IllegalArgumentException e) {
            return failure(id, "error", e.getMessage());
        } catch (Throwable e) { // a StackOverflowError or OutOfMemoryError as well
            return failure(id, "error", Failure.memory(e).toString());
        }
    }

    private static Answer failure(long id, String member, String message) {
        return new Answer(Reply.failure(id, member, oneLine(message)).end(), false);
    }

    private static String oneLine(String message) {
        return String.valueOf(message).replaceAll("\\s*\\R\\s*", " ");
    }
}

package runner;

import control.Reply;
import control.Request;
import harness.Document;
import harness.Failure;
import harness.Nothing;
import harness.Operation;
import harness.Prepared;
import harness.Usage;
import java.util.List;

/** Times operations, and counts what they allocate. */
final class Measuring {
    private static final long MAX_ITERATIONS = 1L << 40;
    private static final long MAX_COLD = 1 << 20;

    private final Server server;

    Measuring(Server server) {
        this.server = server;
    }

    /** One entry of a turn. */
    private static final class Batch {
        final Prepared codec;
        final String name;
        final Operation operation;
        final int first, window;
        final long iterations;

        Batch(Prepared codec, Request q) throws Failure {
            int n = codec.documents.length;
            this.codec = codec;
            name = q.text("operation");
            first = (int) q.integer("document", 0, n - 1);
            window = (int) q.integer("window", 1, n - first);
            iterations = q.integer("iterations", 1, MAX_ITERATIONS);
            operation = codec.operation(name, first, window);
        }

        int run() throws Failure {
            return codec.run(operation, name, first, window, iterations);
        }
    }

    void measure(Request q, Reply r) throws Failure {
        List<Request> turn = q.objects("turn");
        for (Request one : turn) {
            server.find(one).trim();
        }
        Batch[] batches = new Batch[turn.size()];
        for (int i = 0; i < batches.length; i++) { // the objects that encode starts from are made here
            batches[i] = new Batch(server.find(turn.get(i)), turn.get(i));
        }
        long[] wall = new long[batches.length];
        int[] sums = new int[batches.length];
        if (q.flag("settle")) {
            System.gc();
        }
        Usage before = Usage.before();
        for (int i = 0; i < batches.length; i++) {
            long start = System.nanoTime();
            sums[i] = batches[i].run();
            wall[i] = System.nanoTime() - start;
        }
        Usage used = Usage.since(before);
        r.integers("wall_ns", wall).checksums("checksum", sums);
        r.integer("cpu_ns", used.cpu).integer("preemptions", used.preemptions).integer("collections", used.collections);
    }

    void cold(Request q, Reply r) throws Failure {
        Prepared p = server.find(q);
        String name = q.text("operation");
        long[] ns = new long[(int) q.integer("count", 1, MAX_COLD)];
        for (int i = 0; i < ns.length; i++) {
            int document = i % p.documents.length;
            Operation operation = p.operation(name, document, 1);
            long start = System.nanoTime();
            p.run(operation, name, document, 1, 1);
            ns[i] = System.nanoTime() - start;
        }
        r.integers("ns", ns);
    }

    /** How long operations run, at most, before their allocations are counted. */
    private static final long WARM_NS = 300_000_000;

    /**
     * Counts bytes; how many objects they are, the JVM does not tell. What an operation allocates changes
     * while it is being compiled, so it runs until two passes agree.
     */
    void memory(Request q, Reply r) throws Failure {
        Prepared p = server.find(q);
        String name = q.text("operation");
        p.trim();
        int n = p.documents.length;
        long iterations = q.integer("iterations", 1, MAX_ITERATIONS);
        Operation operation = p.operation(name, 0, n);
        long start = System.nanoTime();
        long last = -1;
        long bytes = 0;
        for (boolean same = false; !same; ) {
            long before = Usage.allocated();
            p.run(operation, name, 0, n, iterations);
            bytes = Usage.allocated() - before;
            long spent = System.nanoTime() - start;
            same = spent > WARM_NS || spent > WARM_NS / 3 && bytes == last;
            last = bytes;
        }
        r.integer("allocations", -1).integer("bytes", bytes);
    }

    void empty(Request q, Reply r) throws Exception {
        long iterations = q.integer("iterations", 1, MAX_ITERATIONS);
        Document[] documents = new Document[16];
        for (int i = 0; i < documents.length; i++) {
            documents[i] = new Document(new byte[1]);
        }
        Nothing nothing = new Nothing();
        nothing.run(documents, 0, documents.length, Math.min(iterations, 100_000)); // compiles it
        long start = System.nanoTime();
        Operation.kept = nothing.run(documents, 0, documents.length, iterations);
        r.integer("wall_ns", System.nanoTime() - start);
    }
}

package harness;

/** One timed operation of one codec on one root message, in a loop. */
public abstract class Operation {
    /**
     * The object that the last operation made. A program keeps what it decodes or encodes; without
     * this the compiler could do without the objects, where it sees through all of a codec.
     */
    public static Object kept;

    /**
     * How many operations one call of the inner loop does. The JVM compiles a method fully when it has been
     * called some hundred times; a loop that is called once for a whole batch would be replaced while it
     * runs, in one batch sooner than in the next.
     */
    private static final int AT_ONCE = 16;

    /**
     * Does a number of operations, on {@code window} documents from {@code first} on in turn, and returns the
     * sum of what the protocol wants of each: encode the bytes written, decode the leaf, visit the sum.
     */
    public final int run(Document[] documents, int first, int window, long iterations) throws Exception {
        int sum = 0;
        int next = 0;
        for (long left = iterations; left > 0; left -= AT_ONCE) {
            int n = (int) Math.min(left, AT_ONCE);
            sum += some(documents, first + next, first, first + window, n);
            next = (next + n) % window;
        }
        return sum;
    }

    /**
     * Does n operations, on documents from {@code next} to {@code end}, then from {@code first} again. Every
     * operation has an inner loop of its own, so that the compiler makes each for one codec, message and operation,
     * whatever else runs in the process.
     */
    public abstract int some(Document[] documents, int next, int first, int end, int n) throws Exception;
}

package harness;

/** One timed operation of one codec on one root message, in a loop. */
public abstract class Operation {
    /**
     * The object that the last operation made. A program keeps what it decodes or encodes; without
     * this the compiler could do without the objects, where it sees through all of a codec.
     */
    public static Object kept;

    /**
     * Does a number of operations, on {@code window} documents from {@code first} on in turn, and returns the
     * sum of what the protocol wants of each: encode the bytes written, decode the leaf, visit the
     * sum. Every operation has a loop of its own, so that the compiler makes each loop for one codec, message
     * and operation, whatever else runs in the process.
     */
    public abstract int run(Document[] documents, int first, int window, long iterations) throws Exception;
}

package harness;

/** The loop that every operation has, around nothing. */
public final class Nothing extends Operation {
    @Override
    public int run(Document[] documents, int first, int window, long iterations) {
        int sum = 0;
        int next = first;
        int end = first + window;
        for (long i = 0; i < iterations; i++) {
            Object object = documents[next].object;
            Operation.kept = object;
            sum += documents[next].bytes.length;
            if (++next == end) {
                next = first;
            }
        }
        return sum;
    }
}

package harness;

/** The loop that every operation has, around nothing. */
public final class Nothing extends Operation {
    @Override
    public int some(Document[] documents, int next, int first, int end, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            kept = documents[next].object;
            sum += documents[next].bytes.length;
            if (++next == end) {
                next = first;
            }
        }
        return sum;
    }
}

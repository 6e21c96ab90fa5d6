package harness;

/** One document as one codec sees it. */
public final class Document {
    public final byte[] bytes;
    /** What the codec's own decoder made of the bytes; null until encode needs it. */
    public Object object;

    public Document(byte[] bytes) {
        this.bytes = bytes;
    }
}

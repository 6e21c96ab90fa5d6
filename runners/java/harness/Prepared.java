package harness;

import java.util.ArrayDeque;

/** A codec that is ready for a sample. */
public final class Prepared {
    /** How many bytes the documents have whose objects stay for later requests: those of a large sample would take many times its size. */
    private static final long MOST_KEPT = 1 << 20;

    public final String codec;
    public final Root root;
    public final Document[] documents;
    /** Why it cannot be tried, or null. */
    public final String skipped;
    /** Documents that have an object, the oldest first. */
    private final ArrayDeque<Document> kept = new ArrayDeque<>();
    private long keptBytes;

    private Prepared(String codec, Root root, Document[] documents, String skipped) {
        this.codec = codec;
        this.root = root;
        this.documents = documents;
        this.skipped = skipped;
    }

    public static Prepared skipped(String codec, String reason) {
        return new Prepared(codec, null, null, reason);
    }

    /** The documents' bytes may be shared with other codecs, the objects are not. */
    public static Prepared ready(String name, Codec codec, int root, Document[] documents) {
        Document[] own = new Document[documents.length];
        for (int i = 0; i < own.length; i++) {
            own[i] = new Document(documents[i].bytes);
        }
        return new Prepared(name, codec.roots()[root], own, null);
    }

    /** Gives an operation, after the objects that it starts from have been made. */
    public Operation operation(String name, int first, int window) throws Failure {
        Operation operation = root.operation(name);
        if (name.equals("encode")) {
            for (int i = first; i < first + window; i++) {
                object(i);
            }
        }
        return operation;
    }

    /** What the codec's own decoder makes of a document, made when it is needed first. Threads may share it. */
    public synchronized Object object(int document) throws Failure {
        Document d = documents[document];
        if (d.object == null) {
            d.object = decoded(document);
            kept.add(d);
            keptBytes += d.bytes.length;
        }
        return d.object;
    }

    /** Drops the oldest objects, down to what may stay. */
    public synchronized void trim() {
        while (keptBytes > MOST_KEPT) {
            Document d = kept.remove();
            d.object = null;
            keptBytes -= d.bytes.length;
        }
    }

    private Object decoded(int document) throws Failure {
        try {
            Object object = root.object(documents[document].bytes);
            root.visit(object); // a string that is still bytes becomes one, as a program would have set it
            return object;
        } catch (Exception e) {
            throw new Failure(codec + ", document " + document + ": decode", e);
        }
    }

    /** Does an operation and says which one failed. */
    public int run(Operation operation, String name, int first, int window, long iterations) throws Failure {
        try {
            return operation.run(documents, first, window, iterations);
        } catch (Exception e) {
            throw new Failure(name + " of " + codec, e);
        }
    }
}

package runner;

import control.Reply;
import harness.Failure;
import harness.Prepared;
import java.io.IOException;
import java.io.OutputStream;

/** Lets a codec show what it reads and writes. */
final class Verifying {
    private Verifying() {}

    /** Decodes every document, and writes what the codec encodes again. */
    static void verify(Prepared p, String file, Reply r) throws IOException, Failure {
        int n = p.documents.length;
        int[] leaf = new int[n];
        int[] visit = new int[n];
        try (OutputStream out = Documents.create(file)) {
            for (int i = 0; i < n; i++) {
                Object object = decode(p, i);
                leaf[i] = p.root.leaf(object);
                visit[i] = p.root.visit(object);
                Documents.write(out, encode(p, i, object));
            }
        }
        r.checksums("leaf", leaf).checksums("visit", visit);
    }

    private static Object decode(Prepared p, int i) throws Failure {
        try {
            return p.root.object(p.documents[i].bytes);
        } catch (Exception e) {
            throw new Failure("document " + i + ": decode", e);
        }
    }

    private static byte[] encode(Prepared p, int i, Object object) throws Failure {
        try {
            return p.root.bytes(object);
        } catch (Exception e) {
            throw new Failure("document " + i + ": encode", e);
        }
    }
}

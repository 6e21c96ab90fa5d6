package runner;

import harness.Document;
import harness.Failure;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Documents files: for each document, its length as a little-endian 32-bit number and that many bytes. */
final class Documents {
    private Documents() {}

    static Document[] read(String file, long want) throws IOException, Failure {
        byte[] all = Files.readAllBytes(Path.of(file));
        ByteBuffer b = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
        List<Document> documents = new ArrayList<>();
        while (b.remaining() >= 4) {
            long n = b.getInt() & 0xffffffffL;
            if (n > b.remaining()) {
                throw new Failure(file + ": document " + documents.size() + " has " + n + " bytes, and " + b.remaining() + " are left");
            }
            documents.add(new Document(Arrays.copyOfRange(all, b.position(), b.position() + (int) n)));
            b.position(b.position() + (int) n);
        }
        if (b.hasRemaining() || documents.size() != want) {
            throw new Failure(file + " holds " + documents.size() + " documents and " + b.remaining() + " more bytes; want " + want + " documents");
        }
        return documents.toArray(new Document[0]);
    }

    static OutputStream create(String file) throws IOException {
        return new BufferedOutputStream(Files.newOutputStream(Path.of(file)));
    }

    static void write(OutputStream out, byte[] document) throws IOException {
        out.write(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(document.length).array());
        out.write(document);
    }
}

package transports.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** The content coding gzip at level 6, by the JDK's own library. */
public final class Gzip extends GZIPOutputStream {
    private static final int LEVEL = 6;
    private static final int BUFFER = 8192;

    public Gzip(OutputStream out) throws IOException {
        super(out, BUFFER);
        def.setLevel(LEVEL);
    }

    public static byte[] compress(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(plain.length / 2 + 64);
        try (Gzip gzip = new Gzip(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }

    /** Fails where more than {@code most} bytes come out. */
    public static byte[] expand(byte[] compressed, int most) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed), BUFFER)) {
            byte[] plain = in.readNBytes(most);
            if (plain.length == most && in.read() >= 0) {
                throw new IOException("more than " + most + " bytes come out of " + compressed.length);
            }
            return plain;
        }
    }
}

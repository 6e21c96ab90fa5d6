package transports.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import transports.wire.Gzip;
import transports.wire.Timing;

/** A document that is sent to the server. */
final class Posting {
    private final Shelf.Item item;
    private final HttpServletRequest request;
    private final Timing timing = new Timing();

    Posting(Shelf.Item item, HttpServletRequest request) {
        this.item = item;
        this.request = request;
    }

    String timing() {
        return timing.toString();
    }

    /** Reads the document, and gives the checksum that the protocol wants of what was decoded. */
    long leaf() throws IOException, Refusal {
        MediaType type = type();
        boolean gzip = gzip();
        byte[] body = body();
        if (gzip) {
            body = expand(body);
        }
        return item.codec().root.leaf(decode(type, body)) & 0xffffffffL;
    }

    private MediaType type() throws Refusal {
        String name = request.getContentType();
        if (name == null) {
            return item.type();
        }
        try {
            if (item.type().isCompatibleWith(MediaType.parseMediaType(name))) {
                return MediaType.parseMediaType(name);
            }
        } catch (InvalidMediaTypeException e) {
            // it is told below
        }
        throw new Refusal(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "the content type is " + name + "; want " + item.type());
    }

    private boolean gzip() throws Refusal {
        String coding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
        if (coding == null || coding.equalsIgnoreCase("identity")) {
            return false;
        }
        if (!coding.equalsIgnoreCase("gzip")) {
            throw new Refusal(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "the coding " + coding + " is not read; there are identity and gzip");
        }
        return true;
    }

    private byte[] body() throws IOException, Refusal {
        InputStream in = request.getInputStream();
        long length = request.getContentLengthLong();
        byte[] body = length > item.most() ? null : in.readNBytes(length >= 0 ? (int) length : item.most());
        if (body == null || in.read() >= 0) {
            throw new Refusal(HttpStatus.CONTENT_TOO_LARGE, "the body is longer than " + item.most() + " bytes, which is enough for every document of the sample");
        }
        return body;
    }

    private byte[] expand(byte[] body) throws Refusal {
        long start = System.nanoTime();
        try {
            return Gzip.expand(body, item.most());
        } catch (IOException e) {
            throw Refusal.badRequest("the body cannot be decompressed", e);
        } finally {
            timing.add("decompress", System.nanoTime() - start);
        }
    }

    /** Times Spring's own converter for the codec. */
    private Object decode(MediaType type, byte[] body) throws Refusal {
        HttpInputMessage message = new Message(type, body);
        long start = System.nanoTime();
        Object object;
        try {
            object = item.converter().read(item.codec().root.type(), message);
        } catch (IOException | RuntimeException | StackOverflowError e) {
            throw Refusal.badRequest("the document cannot be decoded", e);
        }
        timing.add("decode", System.nanoTime() - start);
        if (object == null) {
            throw new Refusal(HttpStatus.BAD_REQUEST, "the body holds no document");
        }
        return object;
    }

    /** A message whose body has been read. */
    private static final class Message implements HttpInputMessage {
        private final HttpHeaders headers = new HttpHeaders();
        private final byte[] body;

        Message(MediaType type, byte[] body) {
            headers.setContentType(type);
            headers.setContentLength(body.length);
            this.body = body;
        }

        @Override
        public InputStream getBody() {
            return new ByteArrayInputStream(body);
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }
    }
}

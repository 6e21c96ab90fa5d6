package transports.spring;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.util.FastByteArrayOutputStream;
import transports.wire.Gzip;
import transports.wire.Timing;

/**
 * Lets Spring's own converter for a codec write into a buffer, and times it. In a usual application it would write
 * to the socket; then nobody could tell encoding from sending.
 */
final class AnswerConverter implements HttpMessageConverter<Answer> {
    @Override
    public boolean canRead(Class<?> type, MediaType media) {
        return false;
    }

    @Override
    public boolean canWrite(Class<?> type, MediaType media) {
        return type == Answer.class;
    }

    @Override
    public List<MediaType> getSupportedMediaTypes() {
        return List.of(MediaType.APPLICATION_JSON, new MediaType("application", "x-protobuf"));
    }

    @Override
    public Answer read(Class<? extends Answer> type, HttpInputMessage in) {
        throw new HttpMessageNotReadableException("answers are only written", in);
    }

    @Override
    public void write(Answer a, MediaType type, HttpOutputMessage out) throws IOException {
        HttpHeaders headers = out.getHeaders();
        Timing timing = new Timing();
        FastByteArrayOutputStream body = encode(a, timing, headers);
        if (a.gzip()) {
            body = compress(body, timing);
            headers.set(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        headers.setContentType(a.item().type());
        headers.setContentLength(body.size());
        headers.setCacheControl(CacheControl.noStore());
        headers.set(Timing.HEADER, timing.toString());
        OutputStream to = out.getBody();
        body.writeTo(to);
        to.flush();
    }

    /** Times the converter. What a library keeps of having encoded the object before is forgotten first. */
    private static FastByteArrayOutputStream encode(Answer a, Timing timing, HttpHeaders headers) throws IOException {
        Buffer buffer = new Buffer();
        a.item().codec().root.renew(a.object());
        long start = System.nanoTime();
        a.item().converter().write(a.object(), a.item().type(), buffer);
        timing.add("encode", System.nanoTime() - start);
        buffer.headers.remove(HttpHeaders.CONTENT_TYPE); // with a character set, which JSON has not
        headers.putAll(buffer.headers);
        return buffer.bytes;
    }

    private static FastByteArrayOutputStream compress(FastByteArrayOutputStream body, Timing timing) throws IOException {
        FastByteArrayOutputStream compressed = new FastByteArrayOutputStream(1024);
        long start = System.nanoTime();
        try (Gzip gzip = new Gzip(compressed)) {
            body.writeTo(gzip);
        }
        timing.add("compress", System.nanoTime() - start);
        return compressed;
    }

    /** A message that is kept. */
    private static final class Buffer implements HttpOutputMessage {
        private final FastByteArrayOutputStream bytes = new FastByteArrayOutputStream(1024);
        private final HttpHeaders headers = new HttpHeaders();

        @Override
        public OutputStream getBody() {
            return bytes;
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }
    }
}

package transports.spring;

import com.google.gson.Gson;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import harness.Codec;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.json.GsonHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.http.converter.json.MappingJackson2HttpMessageConverter;
import org.springframework.http.converter.protobuf.ProtobufHttpMessageConverter;
import org.springframework.http.converter.protobuf.ProtobufJsonFormatHttpMessageConverter;
import tools.jackson.databind.json.JsonMapper;

/** The converter that Spring has for a library, with the settings that the codec gives the library. */
final class Converters {
    private Converters() {}

    /** Gives null where Spring has none. */
    @SuppressWarnings({"unchecked", "removal"}) // Jackson 2, which Spring will give up one day
    static HttpMessageConverter<Object> of(Codec codec) {
        Object instance = codec.instance();
        HttpMessageConverter<?> c = null;
        if (instance instanceof JsonMapper m) {
            c = new JacksonJsonHttpMessageConverter(m);
        } else if (instance instanceof com.fasterxml.jackson.databind.ObjectMapper m) {
            c = new MappingJackson2HttpMessageConverter(m);
        } else if (instance instanceof Gson g) {
            c = new GsonHttpMessageConverter(g);
        } else if (codec.library() == Message.class) {
            c = new ProtobufHttpMessageConverter();
        } else if (codec.library() == JsonFormat.class) {
            c = new ProtobufJsonFormatHttpMessageConverter(JsonFormat.parser(), JsonFormat.printer().omittingInsignificantWhitespace());
        }
        return (HttpMessageConverter<Object>) c;
    }
}

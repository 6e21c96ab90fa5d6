package transports.spring;

import codecs.Codecs;
import harness.Prepared;
import java.util.HashMap;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import transports.wire.Wire;

/** What is served: each codec on each sample, with the converter that Spring has for it. */
final class Shelf {
    /** A codec on a sample. */
    record Item(Prepared codec, MediaType type, HttpMessageConverter<Object> converter, int most) {}

    private final Map<String, Map<String, Item>> items = new HashMap<>();

    Shelf(Map<String, Map<String, Prepared>> samples) {
        samples.forEach((sample, codecs) -> codecs.forEach((name, p) -> items.computeIfAbsent(sample, s -> new HashMap<>()).put(name, item(p))));
    }

    private static Item item(Prepared p) {
        if (p.skipped != null) {
            return new Item(p, null, null, 0);
        }
        return new Item(p, MediaType.parseMediaType(Wire.type(p)), Converters.of(Codecs.find(p.codec).codec()), Wire.most(p));
    }

    /** Finds what a path names. */
    Item find(String sample, String codec) throws Refusal {
        Map<String, Item> codecs = items.get(sample);
        if (codecs == null) {
            throw Refusal.notFound("there is no sample \"" + sample + "\" here");
        }
        Item item = codecs.get(codec);
        if (item == null) {
            throw Refusal.notFound("the codec \"" + codec + "\" was not prepared for the sample \"" + sample + "\"");
        }
        if (item.codec.skipped != null) {
            throw Refusal.notFound("the codec \"" + codec + "\" cannot have the sample \"" + sample + "\": " + item.codec.skipped);
        }
        if (item.converter == null) {
            throw Refusal.notFound("Spring has no message converter for the codec \"" + codec + "\"");
        }
        return item;
    }
}

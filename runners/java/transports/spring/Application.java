package transports.spring;

import harness.Prepared;
import java.io.File;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.apache.tomcat.util.threads.TaskQueue;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.boot.tomcat.TomcatProtocolHandlerCustomizer;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.http.converter.protobuf.ProtobufHttpMessageConverter;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** A Spring Boot application, as its starter makes it, that serves what was prepared. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Documents.class, CrossOrigin.class})
public class Application implements WebMvcConfigurer {
    /** Documents may be nested deeply. Only what is used of a stack takes memory. */
    private static final long STACK = 256L << 20;

    /** What Boot's defaults are changed in, and why. */
    private static final String[] SETTINGS = {
        "--spring.main.lazy-initialization=true", // a fork starts a server: quickly
        "--spring.mvc.servlet.load-on-startup=1", // but the first request finds it ready
        "--spring.web.resources.add-mappings=false",
        "--server.tomcat.basedir=tomcat", // in the build's folder: nobody uses it, and a temporary one might stay
        "--server.tomcat.max-keep-alive-requests=-1", // not a new connection after each hundred
        "--server.tomcat.keep-alive-timeout=1h", // cases have their turns minutes apart
        "--logging.level.root=warn",
    };

    /** Starts a server on HOST:PORT, and gives the same with the port that it got. */
    public static String start(String address, Map<String, Map<String, Prepared>> samples) throws UnknownHostException {
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, Math.max(0, colon));
        if (host.isEmpty() || InetAddress.getByName(host).isAnyLocalAddress()) {
            throw new IllegalArgumentException("cannot listen on \"" + address + "\"; name one address and a port, as in 127.0.0.1:0");
        }
        return host + ":" + start(host, address.substring(colon + 1), new Shelf(samples));
    }

    /** Gives the port. */
    private static String start(String host, String port, Shelf shelf) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        application.addInitializers(c -> c.getBeanFactory().registerSingleton("shelf", shelf));
        ConfigurableApplicationContext running = application.run(arguments(host, port));
        TomcatWebServer server = (TomcatWebServer) ((WebServerApplicationContext) running).getWebServer();
        for (Container child : server.getTomcat().getHost().findChildren()) { // a folder for files; a process that is killed would leave it
            FileSystemUtils.deleteRecursively(new File(((Context) child).getDocBase()));
        }
        return running.getEnvironment().getProperty("local.server.port");
    }

    /** Arguments, because those no variable of the environment overrides. */
    private static String[] arguments(String host, String port) {
        Stream<String> own = Stream.of("--server.address=" + host, "--server.port=" + port);
        return Stream.concat(own, Stream.of(SETTINGS)).toArray(String[]::new);
    }

    @Bean
    ProtobufHttpMessageConverter protobuf() {
        return new ProtobufHttpMessageConverter();
    }

    @Override
    public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
        converters.addCustomConverter(new AnswerConverter());
    }

    /** The names of samples may hold a slash. */
    @Bean
    TomcatConnectorCustomizer slashes() {
        return connector -> {
            connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
            connector.setEncodedReverseSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        };
    }

    /** Tomcat's own pool of threads, but with deep stacks. */
    @Bean
    TomcatProtocolHandlerCustomizer<?> stacks() {
        return protocol -> {
            TaskQueue queue = new TaskQueue();
            ThreadPoolExecutor threads = new ThreadPoolExecutor(10, 200, 60, TimeUnit.SECONDS, queue, work -> {
                Thread t = new Thread(null, work, "http", STACK);
                t.setDaemon(true);
                return t;
            });
            queue.setParent(threads);
            protocol.setExecutor(threads);
        };
    }
}

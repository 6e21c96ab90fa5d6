package harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** What all threads allocate between two moments, those left out that end meanwhile. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final boolean COUNTED = THREADS.isThreadAllocatedMemorySupported() && THREADS.isThreadAllocatedMemoryEnabled();

    private final Map<Long, Long> before = COUNTED ? read() : Map.of();

    private Allocations() {}

    public static Allocations begin() {
        return new Allocations();
    }

    /** The bytes since the beginning; -1 where this JVM does not count them. */
    public long end() {
        if (!COUNTED) {
            return -1;
        }
        long sum = 0;
        for (Map.Entry<Long, Long> thread : read().entrySet()) {
            sum += Math.max(0, thread.getValue() - before.getOrDefault(thread.getKey(), 0L));
        }
        return sum;
    }

    /** By the threads' numbers. */
    private static Map<Long, Long> read() {
        long[] threads = THREADS.getAllThreadIds();
        long[] bytes = THREADS.getThreadAllocatedBytes(threads);
        Map<Long, Long> all = new HashMap<>();
        for (int i = 0; i < threads.length; i++) {
            all.put(threads[i], bytes[i]);
        }
        return all;
    }
}

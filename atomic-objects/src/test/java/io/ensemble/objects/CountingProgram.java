package io.ensemble.objects;

import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.testkit.history.HistoryRecorder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;

/**
 * A process with its own factory that counts until its input ends. On any input, it halts during
 * its calls instead, which are then unknown in the history.
 *
 * <p>Arguments: the history file, the number of the first client, the cache, the ports.
 */
final class CountingProgram {

  static final int CLIENTS = 3;

  private CountingProgram() {}

  public static void main(String[] arguments) throws Exception {
    List<Integer> ports = Arrays.stream(arguments).skip(3).map(Integer::valueOf).toList();
    try (HistoryRecorder recorder =
            HistoryRecorder.toFile(
                System::nanoTime, Long.parseLong(arguments[1]), Path.of(arguments[0]));
        RemoteCacheManager manager = manager(ports);
        AtomicObjectFactory factory =
            AtomicObjectFactory.on(
                new HotRodObjectStore(HotRodObjectStore.cache(manager, arguments[2])))) {
      CountingThreads counting = CountingThreads.start(factory, recorder, CLIENTS);
      System.out.println("counting");
      if (System.in.read() >= 0) {
        recorder.close();
        Runtime.getRuntime().halt(9);
      }
      counting.end();
      factory.close();
      recorder.close();
      Runtime.getRuntime().halt(0); // The client may hang on a dead node and not end.
    }
  }

  static RemoteCacheManager manager(List<Integer> ports) {
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    ports.forEach(port -> configuration.addServer().host("127.0.0.1").port(port));
    configuration.socketTimeout(20_000); // The default of 2 s is too short for a slow machine.
    return new RemoteCacheManager(configuration.build());
  }
}

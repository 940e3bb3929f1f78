package io.ensemble.testkit;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStream;
import io.ensemble.EnsembleCache;
import io.ensemble.ListenOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The example of docs/listeners.md, compiled and run as it stands there. */
final class ListenExample {

  private ListenExample() {}

  /** Keeps {@code copy} equal to the cache, across restarts if the copy is kept as well. */
  static void follow(
      EnsembleCache<String, Long> stock,
      Map<String, Long> copy,
      Path saved,
      BooleanSupplier isRunning)
      throws IOException {
    // example:begin
    boolean isNew = !Files.exists(saved);
    ListenOptions<String> all = ListenOptions.all();
    ListenOptions<String> options = isNew ? all : all.from(Files.readString(saved));
    try (ChangeStream<String, Long> stream = stock.listen(options)) {
      if (isNew) {
        copy.putAll(stock); // After the stream was opened, so no write is missed.
      }
      while (isRunning.getAsBoolean()) {
        ChangeEvent<String, Long> event = stream.next(Duration.ofSeconds(1)).orElse(null);
        if (event instanceof Change<String, Long> change) {
          copy.compute(change.key(), (key, former) -> change.value()); // Null removes the key.
        } else if (event instanceof Gap<String, Long> gap
            && (gap.reason() == GapReason.OVERFLOW || gap.reason() == GapReason.RETENTION)) {
          copy.keySet().retainAll(stock.keySet());
          copy.putAll(stock);
        }
        Files.writeString(saved, stream.position());
      }
    }
    // example:end
  }
}

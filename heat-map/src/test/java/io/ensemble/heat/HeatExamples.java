package io.ensemble.heat;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.heat.HeatMap.HotKey;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Consumer;

/** The examples of docs/heat-maps.md, compiled as they stand there. */
final class HeatExamples {

  private HeatExamples() {}

  static void record(String address, Consumer<EnsembleCacheManager> application) {
    // record:begin
    try (HeatRecorder recorder = HeatRecorder.create();
        EnsembleCacheManager manager =
            EnsembleCacheManager.builder().catalog(address).recorder(recorder).build()) {
      recorder.publishTo(manager);
      application.accept(manager);
      recorder.close(); // before the manager: publishes the last window
    }
    // record:end
  }

  static void read(EnsembleCacheManager manager, PrintStream out) {
    // read:begin
    HeatMap map = HeatMaps.of(manager).read("stock", Duration.ofMinutes(10), 10);
    for (HotKey hot : map.keys()) {
      out.printf("%s: at least %d operations%n", hot.key(), hot.operations().lower());
    }
    // read:end
  }
}

package io.ensemble.cli.up;

import io.ensemble.testkit.process.NodeDisk;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shows the disks of the nodes that {@code up --data} runs, with the tags {@code site} and {@code
 * node}: gauges {@code ensemble.node.disk.free} and {@code ensemble.node.disk.reserve} in bytes,
 * and {@code ensemble.node.disk.low}, 1 while less than the reserve is free or the node rejects
 * clients for that reason, otherwise 0. Each reading asks the file system.
 *
 * @param data the directory of the federation, whose nodes have started
 */
record NodeDiskMeters(Path data) implements MeterBinder {

  @Override
  public void bindTo(MeterRegistry registry) {
    for (NodeDisk disk : NodeDisk.in(data)) {
      show(registry, disk, "ensemble.node.disk.free", "bytes", NodeDisk::freeBytes);
      show(registry, disk, "ensemble.node.disk.reserve", "bytes", NodeDisk::reserveBytes);
      show(registry, disk, "ensemble.node.disk.low", null, now -> now.isLow() ? 1 : 0);
    }
  }

  private static void show(
      MeterRegistry registry,
      NodeDisk disk,
      String meter,
      @Nullable String unit,
      ToDoubleFunction<NodeDisk> value) {
    Gauge.builder(meter, disk, former -> read(former, value))
        .tag("site", disk.site())
        .tag("node", String.valueOf(disk.node()))
        .baseUnit(unit)
        .strongReference(true)
        .register(registry);
  }

  private static double read(NodeDisk disk, ToDoubleFunction<NodeDisk> value) {
    try {
      return value.applyAsDouble(disk.readAgain());
    } catch (UncheckedIOException unknown) {
      return Double.NaN;
    }
  }
}

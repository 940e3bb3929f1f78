package io.ensemble.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine of a measurement.
 *
 * @param loadAverage the load of the last minute, negative if the system does not report it. Above
 *     the number of processors, other programs were running and only ratios are meaningful
 */
public record MachineReport(
    String os,
    String processor,
    int processors,
    String jvm,
    long maxHeapBytes,
    double loadAverage) {

  /** The present state of this machine. */
  public static MachineReport here() {
    return new MachineReport(
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"),
        processorModel(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
        Runtime.getRuntime().maxMemory(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static String processorModel() {
    Path info = Path.of("/proc/cpuinfo");
    try {
      return Files.readAllLines(info).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}

package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.versions.PanelPlot.Point;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Latencies of operations, as curves and files. Histograms are of nanoseconds. */
final class LatencyDistributions {

  private static final double NANOS_IN_MILLI = 1e6;
  private static final int TICKS = 5;
  private static final double STEP = 0.1;

  private LatencyDistributions() {}

  /**
   * The last decile: milliseconds on the horizontal axis, and the percentage of operations that
   * took no longer.
   */
  static List<Point> lastDecile(Histogram histogram) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i <= (int) Math.round(10 / STEP); i++) {
      double percent = 90 + STEP * i;
      double millis = histogram.getValueAtPercentile(percent) / NANOS_IN_MILLI;
      points.add(new Point(Math.max(millis, 1e-3), percent));
    }
    return points;
  }

  static double millis(Histogram histogram, double percent) {
    return histogram.getValueAtPercentile(percent) / NANOS_IN_MILLI;
  }

  /** Mean and percentiles for a table, in milliseconds. */
  static String cell(Histogram histogram) {
    return String.format(
        Locale.ROOT,
        "%.2f / %.2f / %.2f / %.2f",
        histogram.getMean() / NANOS_IN_MILLI,
        millis(histogram, 50),
        millis(histogram, 95),
        millis(histogram, 99));
  }

  /** Writes the whole distribution, in milliseconds; no effect if {@code directory} is null. */
  static void keep(@Nullable Path directory, String name, Histogram histogram) {
    if (directory == null) {
      return;
    }
    Path file =
        directory.resolve(name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".hgrm");
    try {
      Files.createDirectories(directory);
      try (PrintStream out =
          new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8)) {
        histogram.outputPercentileDistribution(out, TICKS, NANOS_IN_MILLI);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a distribution cannot be written; file=" + file, e);
    }
  }
}

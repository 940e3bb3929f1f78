package io.ensemble.benchmarks.contest;

import java.util.List;

/**
 * The spread of a ratio over slices.
 *
 * @param median the figure to quote
 * @param min the least ratio
 * @param max the greatest ratio
 * @param slices the number of slices
 */
public record RatioSpread(double median, double min, double max, int slices) {

  /**
   * The spread of {@code ratios}.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static RatioSpread of(List<Double> ratios) {
    if (ratios.isEmpty()) {
      throw new IllegalArgumentException("a spread requires at least one ratio");
    }
    List<Double> sorted = ratios.stream().sorted().toList();
    int middle = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1
            ? sorted.get(middle)
            : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    return new RatioSpread(
        rounded(median),
        rounded(sorted.get(0)),
        rounded(sorted.get(sorted.size() - 1)),
        sorted.size());
  }

  private static double rounded(double ratio) {
    return Math.round(ratio * 1000) / 1000.0;
  }
}

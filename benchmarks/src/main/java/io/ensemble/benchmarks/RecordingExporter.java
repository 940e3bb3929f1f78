package io.ensemble.benchmarks;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import site.ycsb.measurements.exporter.MeasurementsExporter;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

/** Writes YCSB's text and keeps its numbers. Not thread-safe. */
final class RecordingExporter implements MeasurementsExporter {

  private final TextMeasurementsExporter text;
  private final Map<String, Map<String, Double>> numbers = new TreeMap<>();

  RecordingExporter(OutputStream out) {
    text = new TextMeasurementsExporter(out);
  }

  @Override
  public void write(String metric, String measurement, int number) throws IOException {
    text.write(metric, measurement, number);
    keep(metric, measurement, number);
  }

  @Override
  public void write(String metric, String measurement, long number) throws IOException {
    text.write(metric, measurement, number);
    keep(metric, measurement, number);
  }

  @Override
  public void write(String metric, String measurement, double number) throws IOException {
    text.write(metric, measurement, number);
    keep(metric, measurement, number);
  }

  private void keep(String metric, String measurement, double number) {
    numbers.computeIfAbsent(metric, name -> new LinkedHashMap<>()).put(measurement, number);
  }

  /** The measurements of the operations, by their names. */
  Map<String, OperationFigures> operations() {
    Map<String, OperationFigures> figures = new TreeMap<>();
    numbers.forEach(
        (metric, exported) -> {
          if (exported.containsKey("AverageLatency(us)") && !metric.equals("CLEANUP")) {
            figures.put(metric, OperationFigures.of(exported));
          }
        });
    return figures;
  }

  @Override
  public void close() throws IOException {
    text.close();
  }
}

package io.ensemble.cli.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * Rows in columns as wide as their widest cell, two blanks apart. Numbers are right-aligned, words
 * left-aligned. With colours, {@code ok} is green and {@code FAILED} red. Not thread-safe.
 */
public final class TextTable {

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these columns. */
  public TextTable(String... columns) {
    header = List.of(columns);
  }

  /** Adds a row; each cell shows as its {@code toString()}, null as {@code -}. */
  public TextTable row(@Nullable Object... cells) {
    if (cells.length != header.size()) {
      throw new IllegalArgumentException(
          "a row must have " + header.size() + " cells; got " + cells.length);
    }
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell == null ? "-" : cell.toString());
    }
    rows.add(row);
    return this;
  }

  /** Prints the table. */
  public void print(PrintWriter out, boolean colours) {
    int[] widths = IntStream.range(0, header.size()).map(this::width).toArray();
    boolean[] right = new boolean[header.size()];
    for (int i = 0; i < right.length; i++) {
      right[i] = numeric(i);
    }
    out.println(line(header, widths, right, cell -> cell.toUpperCase(Locale.ROOT), colours));
    rows.forEach(row -> out.println(line(row, widths, right, cell -> cell, colours)));
  }

  private int width(int column) {
    return IntStream.concat(
            IntStream.of(length(header.get(column))),
            rows.stream().mapToInt(row -> length(row.get(column))))
        .max()
        .orElse(0);
  }

  private static int length(String cell) {
    return cell.codePointCount(0, cell.length());
  }

  private boolean numeric(int column) {
    return !rows.isEmpty()
        && rows.stream()
            .map(row -> row.get(column))
            .allMatch(cell -> cell.matches("-|[<+-]?[\\d,.]+( (ms|s|µs|%))?"));
  }

  private static String line(
      List<String> cells,
      int[] widths,
      boolean[] right,
      UnaryOperator<String> shown,
      boolean colours) {
    return IntStream.range(0, cells.size())
        .mapToObj(
            i -> {
              String blanks = " ".repeat(widths[i] - length(cells.get(i)));
              String cell = coloured(shown.apply(cells.get(i)), colours);
              return right[i] ? blanks + cell : cell + blanks;
            })
        .collect(Collectors.joining("  "))
        .stripTrailing();
  }

  private static String coloured(String cell, boolean colours) {
    if (!colours) {
      return cell;
    }
    return switch (cell) {
      case "ok", "yes" -> Ansi.ON.string("@|green " + cell + "|@");
      case "FAILED", "no" -> Ansi.ON.string("@|bold,red " + cell + "|@");
      default -> cell;
    };
  }

  /** Prints one line of a table without a header: a name, and its value. */
  public static void line(PrintWriter out, String name, String value) {
    out.printf("%-16s %s%n", name, value);
  }
}

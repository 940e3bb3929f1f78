package io.ensemble.cli.trace;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The file that a command writes a trace to. */
final class TraceOutputOption {

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description =
          "File of the trace; compressed if its name ends with .gz. It appears when it "
              + "is complete.")
  Path file = Path.of("");
}

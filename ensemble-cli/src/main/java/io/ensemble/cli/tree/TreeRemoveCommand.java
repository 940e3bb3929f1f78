package io.ensemble.cli.tree;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "rm",
    description = {
      "Remove a node and all nodes below it, in one transaction.",
      "Succeeds also if there is no node."
    })
final class TreeRemoveCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin TreeOptions options = new TreeOptions();

  @Parameters(index = "2", paramLabel = "PATH", description = "Path of the node.")
  String path = "";

  @Override
  public Integer call() {
    boolean removed = options.call(tree -> tree.remove(path));
    reporting.report(
        new TreeRemoved(options.tree, path, removed),
        out -> {
          if (!removed) {
            out.printf("there was no node %s%n", path);
          }
        });
    return ExitCode.OK;
  }

  private record TreeRemoved(String tree, String path, boolean removed) {}
}

package io.ensemble.cli.tree;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.tree.TreeNode;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "read",
    description = {
      "Print the value of a node.",
      "Fails if there is no node. A value that is not UTF-8 is printed as hexadecimal digits."
    })
final class TreeReadCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin TreeOptions options = new TreeOptions();

  @Parameters(index = "2", paramLabel = "PATH", description = "Path of the node.")
  String path = "";

  @Override
  public Integer call() {
    TreeNode node = options.call(tree -> tree.node(path).orElse(null));
    if (node == null) {
      reporting.report(
          new ReadNode(options.tree, path, false, null, null, null, null, null, null), out -> {});
      reporting.err().printf("ensemble: no node: %s in tree '%s'%n", path, options.tree);
      return ExitCode.FAILED;
    }
    String text = TreeOptions.text(node.value());
    reporting.report(
        new ReadNode(
            options.tree,
            path,
            true,
            text,
            HexFormat.of().formatHex(node.value()),
            node.permissions().owner(),
            node.created(),
            node.modified(),
            node.childrenModified()),
        out -> out.println(text));
    return ExitCode.OK;
  }

  private record ReadNode(
      String tree,
      String path,
      boolean present,
      @Nullable String value,
      @Nullable String hex,
      @Nullable String owner,
      @Nullable Long created,
      @Nullable Long modified,
      @Nullable Long childrenModified) {}
}

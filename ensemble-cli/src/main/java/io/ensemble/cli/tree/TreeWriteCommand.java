package io.ensemble.cli.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.TreePath;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "write",
    description = {
      "Set the value of a node, a string.",
      "Creates the node and missing nodes above it; as the administrator, also the tree."
    })
final class TreeWriteCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin TreeOptions options = new TreeOptions();

  @Parameters(index = "2", paramLabel = "PATH", description = "Path of the node.")
  String path = "";

  @Parameters(index = "3", paramLabel = "VALUE", description = "The value.")
  String value = "";

  @Option(names = "--if-absent", description = "Only if there is no node.")
  boolean absent;

  @Override
  public Integer call() {
    byte[] bytes = value.getBytes(UTF_8);
    TreePath.of(path); // A mistake must not create the tree.
    NodePermissions.checkUser(options.user);
    boolean mayWriteNewTree = options.user.equals(SharedTree.ADMINISTRATOR);
    try {
      long commit =
          options.call(
              mayWriteNewTree, tree -> absent ? tree.create(path, bytes) : tree.write(path, bytes));
      reporting.report(new TreeWritten(options.tree, path, true, commit), out -> {});
      return ExitCode.OK;
    } catch (io.ensemble.check.process.CommandException e) {
      if (e.getCause() instanceof TreeException.NodeExists) {
        reporting.report(new TreeWritten(options.tree, path, false, 0), out -> {});
      }
      throw e;
    }
  }

  private record TreeWritten(String tree, String path, boolean written, long commit) {}
}

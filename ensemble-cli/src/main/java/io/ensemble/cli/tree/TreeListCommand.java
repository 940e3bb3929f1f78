package io.ensemble.cli.tree;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreeNode;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeTransaction;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@Command(
    name = "ls",
    description = {
      "List the children of a node.",
      "Fails if there is no node. All of the output is from one state of the tree."
    })
final class TreeListCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin TreeOptions options = new TreeOptions();

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "PATH",
      defaultValue = "/",
      description = "Path of the node; default: ${DEFAULT-VALUE}.")
  String path = "/";

  @Option(
      names = {"-r", "--recursive"},
      description = "All nodes below the node.")
  boolean recursive;

  @Option(
      names = {"-l", "--long"},
      description = "Also sizes, owners, access of other users, and the last commits.")
  boolean details;

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      defaultValue = "10000",
      description = "Maximum number of nodes, at least 1; default: ${DEFAULT-VALUE}.")
  int limit;

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new ParameterException(
          reporting.spec().commandLine(), "--limit must be at least 1; got " + limit);
    }
    TreeListing listing = options.call(this::list);
    reporting.report(listing, out -> show(out, listing));
    return ExitCode.OK;
  }

  private TreeListing list(SharedTree tree) {
    return tree.transact(
        t -> {
          if (!t.exists(path)) {
            throw new CommandException(
                "there is no node %s in tree '%s'".formatted(path, options.tree));
          }
          List<ListedNode> nodes = new ArrayList<>();
          boolean more = add(t, TreePath.of(path), nodes);
          return new TreeListing(options.tree, path, t.base(), nodes, more);
        });
  }

  /** Adds the nodes below one; returns whether there are too many. */
  private boolean add(TreeTransaction transaction, TreePath parent, List<ListedNode> nodes) {
    int room = Math.min(limit - nodes.size(), Integer.MAX_VALUE - 1) + 1;
    for (String name : transaction.children(parent.toString(), "", room)) {
      if (nodes.size() == limit) {
        return true;
      }
      TreePath child = parent.child(name);
      nodes.add(node(transaction, child));
      if (recursive && add(transaction, child, nodes)) {
        return true;
      }
    }
    return false;
  }

  private ListedNode node(TreeTransaction transaction, TreePath child) {
    String shown = recursive ? child.toString() : child.name();
    if (!details) {
      return new ListedNode(shown, null, null, null, null);
    }
    TreeNode node =
        transaction
            .node(child.toString())
            .orElseThrow(() -> new IllegalStateException("a listed node must exist"));
    return new ListedNode(
        shown,
        node.value().length,
        node.permissions().owner(),
        node.permissions().others().name().toLowerCase(java.util.Locale.ROOT),
        node.modified());
  }

  private void show(PrintWriter out, TreeListing listing) {
    if (details) {
      TextTable table = new TextTable("node", "bytes", "owner", "others", "commit");
      listing.nodes.forEach(
          node ->
              table.row(
                  node.name,
                  String.valueOf(node.bytes),
                  String.valueOf(node.owner),
                  String.valueOf(node.others),
                  String.valueOf(node.commit)));
      table.print(out, Terminal.coloursOnOut());
    } else {
      listing.nodes.forEach(node -> out.println(node.name));
    }
    if (listing.more) {
      out.printf("more than %d nodes; see --limit%n", limit);
    }
  }

  private record TreeListing(
      String tree, String path, long commit, List<ListedNode> nodes, boolean more) {}

  @com.fasterxml.jackson.annotation.JsonInclude(
      com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL)
  private record ListedNode(
      String name,
      @org.jspecify.annotations.Nullable Integer bytes,
      @org.jspecify.annotations.Nullable String owner,
      @org.jspecify.annotations.Nullable String others,
      @org.jspecify.annotations.Nullable Long commit) {}
}

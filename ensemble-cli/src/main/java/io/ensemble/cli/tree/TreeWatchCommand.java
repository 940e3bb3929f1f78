package io.ensemble.cli.tree;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreeEvent;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeWatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@Command(
    name = "watch",
    description = {
      "Print each commit that changes a node or nodes below it, until interrupted.",
      "A line has the number of the commit and a changed path. After an interruption, a line with "
          + "'gap' says that the single commits are not known any more. If the tree is deleted, a "
          + "last line has 'deleted', and the command ends. With --json, each event is one document."
    })
final class TreeWatchCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin TreeOptions options = new TreeOptions();

  @Parameters(
      index = "2",
      paramLabel = "PATH",
      description = "Path of the node, which need not exist.")
  String path = "";

  @Option(
      names = "--events",
      paramLabel = "COUNT",
      defaultValue = "0",
      description = "End after so many events; default: unlimited.")
  long events;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "End after this time, such as 10s; default: unlimited.")
  Duration time = Duration.ofDays(36_500);

  @Override
  public Integer call() {
    if (events < 0 || events > Integer.MAX_VALUE) {
      throw new ParameterException(
          reporting.spec().commandLine(), "--events must be in [0, 2^31 - 1]; got " + events);
    }
    options.call(this::watch);
    return ExitCode.OK;
  }

  private boolean watch(SharedTree tree) {
    CountDownLatch end = new CountDownLatch(1);
    AtomicLong left = new AtomicLong(events == 0 ? Long.MAX_VALUE : events);
    try (TreeWatch watch =
        tree.watch(
            path,
            event -> {
              if (left.getAndDecrement() > 0) {
                show(event);
              }
              if (left.get() <= 0 || event.isTreeDeleted()) {
                end.countDown();
              }
            })) {
      reporting.err().printf("watching %s since commit %d%n", watch.path(), watch.since());
      reporting.err().flush();
      return end.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted", e);
    }
  }

  private void show(TreeEvent event) {
    List<String> paths = event.paths().stream().map(TreePath::toString).toList();
    if (reporting.json) {
      JsonOutput.json(
          reporting.out(),
          new TreeChanged(
              options.tree, path, event.commit(), event.isGap(), event.isTreeDeleted(), paths));
    } else if (event.isGap()) {
      reporting.out().printf("%d gap%n", event.commit());
    } else if (event.isTreeDeleted()) {
      reporting.out().printf("%d deleted%n", event.commit());
    } else {
      paths.forEach(changed -> reporting.out().printf("%d %s%n", event.commit(), changed));
    }
    reporting.out().flush();
  }

  private record TreeChanged(
      String tree, String watched, long commit, boolean gap, boolean deleted, List<String> paths) {}
}

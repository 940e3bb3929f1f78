package io.ensemble.cli.locks;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.objects.sync.NamedLock;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "show",
    description = {"Show whether a lock is held, with the token and the lease of the holder."})
final class LocksShowCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin LockOptions options = new LockOptions();

  @Override
  public Integer call() {
    List<ReportedHolder> holders =
        options.call(NamedLock::holdersAsync).stream()
            .map(one -> new ReportedHolder(one.token(), one.lease().toMillis()))
            .toList();
    reporting.report(
        new ReportedLock(options.cache, options.lock, !holders.isEmpty(), holders),
        out -> {
          holders.forEach(
              one -> out.printf("held: token %d, lease %d ms%n", one.token, one.leaseMillis));
          if (holders.isEmpty()) {
            out.println("free");
          }
        });
    return ExitCode.OK;
  }

  private record ReportedHolder(long token, long leaseMillis) {}

  private record ReportedLock(
      String cache, String lock, boolean held, List<ReportedHolder> holders) {}
}

package io.ensemble.cli.locks;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "revoke",
    description = {
      "Take a lock from its holder, whose process may be alive.",
      "The next waiting request gets the lock. The former holder detects the loss when it renews "
          + "its lease, and may act until then. Present the reported token to the resource that the "
          + "lock protects: from then on, the resource rejects the former holder.",
      "Fails if no holder has the token. May be repeated."
    })
final class LocksRevokeCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin LockOptions options = new LockOptions();

  @Option(
      names = "--token",
      required = true,
      paramLabel = "TOKEN",
      description = "Token of the holder, as './ensemble locks show' reports it.")
  long token;

  @Override
  public Integer call() {
    OptionalLong fence = options.call(lock -> lock.revokeAsync(token));
    Long reported = fence.isPresent() ? fence.getAsLong() : null;
    reporting.report(
        new Revoked(options.cache, options.lock, fence.isPresent(), reported),
        out -> {
          if (reported != null) {
            out.printf("revoked: the fencing token is %d%n", reported);
          }
        });
    if (reported == null) {
      reporting
          .err()
          .printf(
              "ensemble: no holder of lock '%s' on cache '%s' has token %d%n",
              options.lock, options.cache, token);
      return ExitCode.FAILED;
    }
    return ExitCode.OK;
  }

  private record Revoked(
      String cache,
      String lock,
      boolean revoked,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long token) {}
}

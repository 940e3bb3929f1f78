package io.ensemble.cli.entries;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "remove",
    description = {
      "Remove a key.",
      "Succeeds also if the key is absent; with --if-value, fails if the value differs."
    })
public final class RemoveCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin CacheOptions options = new CacheOptions();

  @Option(
      names = "--if-value",
      paramLabel = "OLD",
      description = "Only if this is the value of the key.")
  @Nullable String old;

  @Override
  public Integer call() {
    return options.write(reporting, "removed", this::remove);
  }

  private CompletionStage<? extends WriteOutcome<?>> remove(
      AsyncEnsembleCache<String, Object> cache) {
    return old == null ? cache.remove(options.key) : cache.remove(options.key, old);
  }
}

package io.ensemble.cli.entries;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.output.ReportOptions;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "put",
    description = {"Write the value of a key, a string.", "Fails if a condition is not met."})
public final class PutCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin CacheOptions options = new CacheOptions();

  @Parameters(index = "2", paramLabel = "VALUE", description = "The value.")
  String value = "";

  @ArgGroup(exclusive = true)
  @Nullable Condition condition;

  @Option(
      names = "--lifespan",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Lifespan of the value, such as 500ms or 10s; default: unlimited.")
  Duration lifespan = Duration.ZERO;

  static final class Condition {

    @Option(names = "--if-absent", required = true, description = "Only if the key is absent.")
    boolean absent;

    @Option(
        names = "--if-value",
        required = true,
        paramLabel = "OLD",
        description = "Only if this is the value of the key.")
    @Nullable String old;
  }

  @Override
  public Integer call() {
    return options.write(reporting, "written", this::write);
  }

  private CompletionStage<? extends WriteOutcome<?>> write(
      AsyncEnsembleCache<String, Object> cache) {
    if (condition == null) {
      return cache.put(options.key, value, lifespan);
    }
    return condition.old == null
        ? cache.putIfAbsent(options.key, value, lifespan)
        : cache.replace(options.key, condition.old, value, lifespan);
  }
}

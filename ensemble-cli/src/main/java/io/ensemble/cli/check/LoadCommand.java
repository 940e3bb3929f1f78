package io.ensemble.cli.check;

import io.ensemble.EnsembleCache;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.ShutdownHook;
import io.ensemble.check.registers.ApplicationLoad;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.HeatOption;
import io.ensemble.cli.option.KeysetOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "load",
    description = {
      "Read and write a cache for some time, as an application does, and record the history.",
      "Each key has one writer, so that 'check --only-check' can judge the whole history, also if "
          + "the cache is WEAK for a part of the time: reads in WEAK are not recorded. Judge it "
          + "together with the histories of earlier loads of the cache. Ctrl-C ends the load in "
          + "order. Fails if an operation ended with an unexpected error."
    })
public final class LoadCommand implements Callable<Integer> {

  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(60);

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin KeysetOption keyset = new KeysetOption();
  @Mixin HeatOption heat = new HeatOption();

  @Parameters(paramLabel = "CACHE", description = "Name of the cache.")
  String cache = "";

  @Option(
      names = "--history",
      paramLabel = "FILE",
      required = true,
      description = "File for the history.")
  @Nullable Path history;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "30s",
      description = "Duration; default: ${DEFAULT-VALUE}.")
  Duration longest = Duration.ofSeconds(30);

  @Option(
      names = "--part",
      paramLabel = "N/M",
      defaultValue = "1/1",
      description =
          "Number of this process and total number of processes: each process writes its "
              + "own keys.")
  String part = "1/1";

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "Number of clients, each with one operation at a time; default: ${DEFAULT-VALUE}.")
  int clients;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "200",
      description = "Number of keys of all parts together; default: ${DEFAULT-VALUE}.")
  int keys;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "Operations per second of all clients together; default: ${DEFAULT-VALUE}.")
  int rate;

  @Option(names = "--local-site", paramLabel = "SITE", description = "Local site of a WEAK cache.")
  @Nullable String localSite;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random choices.")
  long seed;

  @Override
  public Integer call() throws InterruptedException {
    ApplicationLoad.LoadSettings order = settings();
    try (FederationConnection connected = federation.connect(localSite, keyset, cache, heat);
        HeatOption.Publication unusedHeat = heat.publishTo(connected.manager());
        ProgressLine progress = ProgressLine.on(reporting.err(), "load")) {
      EnsembleCache<String, Long> opened = connected.cache(cache);
      ApplicationLoad load = new ApplicationLoad(opened, order, progress::show);
      CountDownLatch finished = new CountDownLatch(1);
      ShutdownHook ending = ShutdownHook.set("load-ends", () -> end(load, finished));
      try {
        return runLoad(load, progress);
      } finally {
        finished.countDown();
        boolean unused = ending.withdraw();
      }
    }
  }

  private int runLoad(ApplicationLoad load, ProgressLine progress) throws InterruptedException {
    Path file = history;
    if (file == null) {
      throw new AssertionError("picocli refuses a command without it");
    }
    try {
      ApplicationLoad.LoadResult done = load.run(file);
      progress.finish();
      reporting.report(
          done,
          out ->
              out.printf(
                  "%,d answered, %,d refused, %,d unknown; at most %,.0f ms without an answer;"
                      + " recorded in %s%n",
                  done.answered(), done.refused(), done.unknown(), done.longestGapMillis(), file));
      if (done.broken() > 0) {
        reporting
            .err()
            .println("ensemble: an operation ended with an unexpected error: " + done.trouble());
        return ExitCode.FAILED;
      }
      return ExitCode.OK;
    } catch (IOException e) {
      throw new CommandException("cannot record in %s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private ApplicationLoad.LoadSettings settings() {
    String[] halves = part.split("/", -1);
    try {
      if (halves.length != 2) {
        throw new IllegalArgumentException("--part must be N/M, such as 1/2; got " + part);
      }
      return new ApplicationLoad.LoadSettings(
          clients,
          keys,
          Integer.parseInt(halves[0]),
          Integer.parseInt(halves[1]),
          rate,
          longest,
          seed);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()));
    }
  }

  private static void end(ApplicationLoad load, CountDownLatch finished) {
    load.stop();
    try {
      boolean unused = finished.await(LONGEST_FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

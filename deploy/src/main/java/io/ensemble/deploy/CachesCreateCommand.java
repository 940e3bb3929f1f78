package io.ensemble.deploy;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.deploy.federation.Federation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "create",
    description = {
      "Create a cache.",
      "Succeeds when it is there with equal settings; refused when it is there with others."
    })
final class CachesCreateCommand implements Callable<Integer> {

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "MODE",
      description = "How consistent it is: ${COMPLETION-CANDIDATES}, in any case.")
  Mode mode = Mode.WEAK;

  @Option(
      names = "--sites",
      split = ",",
      paramLabel = "SITE",
      description =
          "The sites that hold it, in order of preference; default: all. The first is the first"
              + " primary of an SWMR cache.")
  List<String> sites = List.of();

  @Option(
      names = "--replication",
      paramLabel = "N",
      description = "How many sites hold it: the first N of --sites; default: all of them.")
  @Nullable Integer replication;

  @Option(
      names = "--ack",
      paramLabel = "ACK",
      description =
          "What a write waits for: ${COMPLETION-CANDIDATES}, in any case; LOCAL (the default) or"
              + " MAJORITY in WEAK, MAJORITY (the default) or PRIMARY in SWMR, MAJORITY in MWMR.")
  @Nullable Acknowledgement acknowledgement;

  @Option(
      names = "--window-writes",
      paramLabel = "N",
      description =
          "With --ack PRIMARY: how many writes a fail-over may drop, at most; default: 1000.")
  @Nullable Integer windowWrites;

  @Option(
      names = "--window-age",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "With --ack PRIMARY: how old the oldest of them may be while more are let in; default: 2s.")
  @Nullable Duration windowAge;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long a call may take, as 500ms or 5s; default: 5s.")
  @Nullable Duration deadline;

  @Override
  public Integer call() {
    try (Federation connected = federation.connect()) {
      CacheDefinition definition = definition(connected.siteNames());
      connected.manager().createCache(definition);
      CacheReport created =
          connected
              .manager()
              .stored(name)
              .map(CacheReport::of)
              .orElseThrow(() -> connected.noSuchCache(name));
      reporting.report(
          created,
          out ->
              out.printf(
                  "created: cache '%s', %s, at %s%n",
                  name, created.mode(), String.join(",", created.sites())));
      if (!created.without().isEmpty()) {
        reporting
            .err()
            .printf(
                "ensemble: could not be had, and count as down until recovered: %s%n",
                String.join(",", created.without()));
      }
      return ExitCode.OK;
    }
  }

  private CacheDefinition definition(List<String> known) {
    CacheDefinition.Builder builder = CacheDefinition.of(name, mode).sites(placed(known));
    if (acknowledgement != null) {
      builder.acknowledgement(acknowledgement);
    }
    if (deadline != null) {
      builder.deadline(deadline);
    }
    if (windowWrites != null || windowAge != null) {
      CopyWindow usual = CopyWindow.DEFAULT;
      builder.window(
          new CopyWindow(
              windowWrites == null ? usual.writes() : windowWrites,
              windowAge == null ? usual.age() : windowAge));
    }
    return builder.build();
  }

  private List<String> placed(List<String> known) {
    List<String> wanted = sites.isEmpty() ? known : sites;
    for (String site : wanted) {
      if (!known.contains(site)) {
        throw new CommandFailure(
            ExitCode.USAGE, "no such site: '%s'; there are %s".formatted(site, known));
      }
    }
    if (replication == null) {
      return wanted;
    }
    if (replication < 1 || replication > wanted.size()) {
      throw new CommandFailure(
          ExitCode.USAGE,
          "--replication wants 1 to %d, as many as there are sites; got %d"
              .formatted(wanted.size(), replication));
    }
    return wanted.subList(0, replication);
  }
}

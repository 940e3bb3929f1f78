package io.ensemble.cli.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.HeatOption;
import io.ensemble.cli.output.LogSetup;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.service.HttpProbe;
import io.ensemble.cli.service.SystemdNotifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "rest",
    description = {
      "Run the REST service of a federation until it is stopped.",
      "Several services may run in parallel, on any machine that reaches the catalog and the "
          + "sites: the service is stateless. Without --access it listens on 127.0.0.1 and accepts "
          + "the printed token. It ends with Ctrl-C or SIGTERM."
    },
    subcommands = RestPasswordCommand.class)
public final class RestCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin HeatOption heat = new HeatOption();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Port; 0 for any free port. Default: "
              + LocalRest.USUAL_PORT
              + ", or any other if that port is in use.")
  @Nullable Integer port;

  @Option(
      names = "--access",
      paramLabel = "FILE",
      description = "Access file: authorization, and TLS of the service; see docs/security.md.")
  @Nullable Path access;

  @Option(
      names = "--bind",
      paramLabel = "HOST",
      defaultValue = LocalRest.LOOPBACK,
      description = "Address to bind, other than 127.0.0.1; requires --access with TLS.")
  String bind = LocalRest.LOOPBACK;

  @Option(
      names = "--local-site",
      paramLabel = "SITE",
      description =
          "Local site: WEAK caches use it first, and caches in frontier mode read from it.")
  @Nullable String localSite;

  @Option(
      names = "--no-maintenance",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "false",
      description = "Do not recover or repair sites in this process; by default it does.")
  public boolean maintenance = true;

  @Override
  public Integer call() throws InterruptedException {
    LocalRest.checkPort("--port", port);
    var described = heat.addTo(federation.describe().maintenance(maintenance));
    Path log = federation.file().restLog();
    if (!reporting.logs()) {
      LogSetup.appendToFile(log);
    }
    if (localSite != null) {
      described.localSite(localSite);
    }
    try (LocalRest rest =
        LocalRest.start(described, bind, port, access(), heat::measure, heat::publishTo)) {
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(rest::close, "ensemble-rest-down"));
      String address = rest.address().toString();
      LocalToken token = rest.access().token();
      reporting.report(
          new Serving(
              address,
              token == null ? null : token.text(),
              token == null ? null : token.file().toString()),
          out -> {
            rest.access().show(out);
            if (!rest.hasSites()) { // The address of the catalog may be wrong.
              out.println("No site is registered: POST /sites registers one");
            }
            // The last line: a script that waits for it has the whole output.
            out.println("REST: " + address + "; Ctrl-C ends it (log: " + log + ")");
          });
      try (SystemdNotifier unused =
          SystemdNotifier.start(System.getenv(), new HttpProbe(rest.address()))) {
        never.await();
      }
      return ExitCode.OK;
    }
  }

  private RestAccess access() {
    InetAddress at = new InetSocketAddress(bind, 0).getAddress();
    boolean here = at != null && at.isLoopbackAddress();
    if (access == null) {
      if (!here) {
        throw new CommandException(ExitCode.USAGE, "--bind requires --access with TLS");
      }
      FederationFile file = federation.file();
      return RestAccess.byToken(file.restToken(ProcessHandle.current().pid()), file.restAudit());
    }
    RestAccess named = RestAccess.byFile(access, federation.file().restAudit());
    if (!here && !named.access().mayBeReached()) {
      named.close();
      throw new CommandException(
          ExitCode.USAGE,
          "--bind requires TLS in " + access + ", or \"clearText\": true if a proxy provides TLS");
    }
    return named;
  }

  private record Serving(
      String rest,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String restToken,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String restTokenFile) {}
}

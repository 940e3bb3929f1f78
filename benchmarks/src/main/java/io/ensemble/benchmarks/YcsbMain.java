package io.ensemble.benchmarks;

import io.ensemble.benchmarks.report.LogSilencer;
import io.ensemble.benchmarks.report.ResultJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import site.ycsb.Client;

/**
 * Runs one of YCSB's workloads against a federation: {@code java -cp 'benchmarks/target/lib/*'
 * io.ensemble.benchmarks.YcsbMain --endpoints … --workload a --mode mwmr}.
 *
 * <p>Exit code 0: every requested operation was executed and succeeded. 1: that is not so; the last
 * line on standard error has the reason. 2: the command line is invalid.
 */
@Command(
    name = "ycsb",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs a YCSB workload, in a temporary cache.")
public final class YcsbMain implements Callable<Integer> {

  private static final int LONGEST_CONNECT_SECONDS = 86_400;

  @Spec private CommandLine.Model.@Nullable CommandSpec spec;

  @Option(
      names = "--endpoints",
      required = true,
      paramLabel = "site=host:port,…;site=…",
      description = "Federation.")
  private String endpoints = "";

  @Option(names = "--workload", required = true, paramLabel = "a..f", description = "Workload.")
  private String workload = "";

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "weak|swmr|mwmr|raw",
      description = "Mode to measure; raw is a plain RemoteCache at the first site.")
  private String mode = "";

  @Option(
      names = "--replication",
      paramLabel = "N",
      description = "Number of sites, beginning with the first; default: 2 in weak, all in mwmr.")
  private @Nullable Integer replication;

  @Option(
      names = "--threads",
      defaultValue = "16",
      paramLabel = "N",
      description = "Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--target",
      defaultValue = "0",
      paramLabel = "N",
      description = "Maximum number of operations per second; default: no limit.")
  private int target;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Default: 10000, 1000 in workload e.")
  private @Nullable Integer records;

  @Option(
      names = "--operations",
      paramLabel = "N",
      description = "Default: 20000, 500 in workload e.")
  private @Nullable Integer operations;

  @Option(
      names = "--connect-deadline",
      defaultValue = "30",
      paramLabel = "SECONDS",
      description =
          "Time limit for connecting while a site does not answer; default: ${DEFAULT-VALUE}.")
  private int connectSeconds;

  @Option(
      names = "-p",
      paramLabel = "NAME=VALUE",
      description =
          "A property of YCSB, such as fieldlength, or of the binding, such as "
              + "ensemble.site.lyon.user.")
  private Map<String, String> extra = new LinkedHashMap<>();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Directory for the text output of YCSB, its logs, HdrHistogram logs and result.json.")
  private @Nullable Path out;

  @Option(
      names = "--catalog",
      paramLabel = "ADDRESS",
      description =
          "Catalog of the caches: zk://host:port,.../path or a directory; default: definitions are "
              + "not stored.")
  private @Nullable String catalog;

  @Option(names = "--json", description = "Prints the result as JSON.")
  private boolean json;

  private final String command;

  private YcsbMain(String command) {
    this.command = command;
  }

  /** The program; ends the JVM. */
  public static void main(String[] args) {
    LogSilencer.ofLibraries();
    System.exit(execute(args));
  }

  static int execute(String... args) {
    String command =
        System.getProperty(
            "ensemble.command", YcsbMain.class.getName() + " " + String.join(" ", args));
    CommandLine program = new CommandLine(new YcsbMain(command));
    program.setParameterExceptionHandler(YcsbMain::reportUsageError);
    return program.execute(args);
  }

  /** One line, as for every failure, because the launcher passes it on. */
  private static int reportUsageError(ParameterException mistake, String[] args) {
    System.err.println("ycsb: " + mistake.getMessage());
    return CommandLine.ExitCode.USAGE;
  }

  @Override
  public Integer call() throws InterruptedException {
    YcsbRun run = prepareRun();
    AtomicBoolean finished = new AtomicBoolean();
    Thread guard = new Thread(() -> handleEarlyEnd(run, finished), "ycsb-guard");
    Runtime.getRuntime().addShutdownHook(guard);
    try {
      return finish(run);
    } finally {
      finished.set(true);
      removeHook(guard);
    }
  }

  private static void removeHook(Thread guard) {
    try {
      Runtime.getRuntime().removeShutdownHook(guard);
    } catch (IllegalStateException shuttingDown) {
      // The thread has received the end of the run.
    }
  }

  /**
   * Handles an early end: YCSB ends the JVM with 0 when one of its threads fails, and a user may
   * interrupt the run.
   */
  private static void handleEarlyEnd(YcsbRun run, AtomicBoolean finished) {
    if (!finished.get()) {
      System.err.println("ycsb: FAILED: ended before the work was done");
      run.abandon();
      Runtime.getRuntime().halt(1);
    }
  }

  private int finish(YcsbRun run) throws InterruptedException {
    try (ResultFiles files = ResultFiles.in(out)) {
      return finish(run, files);
    } catch (IOException failure) {
      System.err.println("ycsb: FAILED: the results cannot be stored: " + failure);
      return 1;
    }
  }

  private int finish(YcsbRun run, ResultFiles files) throws IOException, InterruptedException {
    YcsbReport report;
    try {
      report = run.execute(files.directory());
    } catch (RuntimeException failure) {
      System.err.println("ycsb: FAILED: nothing was done: " + message(failure));
      return 1;
    }
    String result = ResultJson.of(report);
    System.out.println(json ? result : report.text());
    files.report(result);
    report.flaws().forEach(flaw -> System.err.println("ycsb: FAILED: " + flaw));
    return report.ok() ? 0 : 1;
  }

  /**
   * The message of a failure of Ensemble. For any other failure also its type, which may be the
   * only information.
   */
  private static String message(RuntimeException failure) {
    String message = failure.getMessage();
    boolean ours = failure.getClass().getName().startsWith("io.ensemble.");
    return ours && message != null ? message : failure.toString();
  }

  private YcsbRun prepareRun() {
    try {
      Properties properties = Workloads.load(workload);
      extra.forEach(properties::setProperty);
      atLeastOne("--threads", threads);
      properties.setProperty(Client.THREAD_COUNT_PROPERTY, String.valueOf(threads));
      if (target < 0) {
        throw new IllegalArgumentException(
            "--target must be 0, for no limit, or more; got " + target);
      }
      properties.setProperty(Client.TARGET_PROPERTY, String.valueOf(target));
      number(properties, "--records", Client.RECORD_COUNT_PROPERTY, records);
      number(properties, "--operations", Client.OPERATION_COUNT_PROPERTY, operations);
      requireConnectDeadline();
      properties.setProperty(
          BindingProperties.CONNECT_DEADLINE_MILLIS, String.valueOf(connectSeconds * 1_000));
      properties.setProperty(BindingProperties.ENDPOINTS, endpoints);
      properties.setProperty(BindingProperties.MODE, mode);
      if (replication != null) {
        properties.setProperty(BindingProperties.REPLICATION, String.valueOf(replication));
      }
      if (catalog != null) {
        properties.setProperty(BindingProperties.CATALOG, catalog);
      }
      properties.setProperty(BindingProperties.CACHE, "ycsb-" + UUID.randomUUID());
      return new YcsbRun(workload, properties, command);
    } catch (IllegalArgumentException | IllegalStateException wrong) {
      throw new ParameterException(spec().commandLine(), String.valueOf(wrong.getMessage()), wrong);
    }
  }

  private CommandLine.Model.CommandSpec spec() {
    if (spec == null) {
      throw new AssertionError("picocli sets the specification before it calls");
    }
    return spec;
  }

  private static void number(
      Properties properties, String option, String property, @Nullable Integer given) {
    if (given != null) {
      atLeastOne(option, given);
      properties.setProperty(property, String.valueOf(given));
    }
  }

  private void requireConnectDeadline() {
    if (connectSeconds < 0 || connectSeconds > LONGEST_CONNECT_SECONDS) {
      throw new IllegalArgumentException(
          "--connect-deadline must be 0 to %d seconds; got %d"
              .formatted(LONGEST_CONNECT_SECONDS, connectSeconds));
    }
  }

  private static void atLeastOne(String option, int number) {
    if (number < 1) {
      throw new IllegalArgumentException(option + " must be at least 1; got " + number);
    }
  }
}

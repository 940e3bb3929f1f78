package io.ensemble.benchmarks;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.measure.Benchmark;
import io.ensemble.benchmarks.report.CodeRevision;
import io.ensemble.benchmarks.report.LogSilencer;
import io.ensemble.benchmarks.report.MachineReport;
import io.ensemble.benchmarks.report.ResultJson;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures the figures of docs/performance.md: {@code java -cp 'benchmarks/target/lib/*'
 * io.ensemble.benchmarks.Measure QUESTION}. Exit code 0 with an answer, 1 without, 2 for an invalid
 * command line.
 */
@Command(
    name = "measure",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs the benchmarks of docs/performance.md in a temporary federation.")
public final class Measure implements Callable<Integer> {

  /** An answer and its circumstances. */
  public record Result(
      String question,
      Object figures,
      String startedAt,
      String command,
      CodeRevision revision,
      MachineReport machine) {}

  @Parameters(
      arity = "1..*",
      paramLabel = "QUESTION",
      description = "One or more of ${COMPLETION-CANDIDATES}.")
  private List<Benchmark> questions = List.of();

  @Option(
      names = "--slice-millis",
      defaultValue = "1000",
      description = "Duration of each of two alternating measurements; ${DEFAULT-VALUE}.")
  private long sliceMillis;

  @Option(
      names = "--rounds",
      defaultValue = "9",
      description = "Number of repetitions; ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--operations",
      defaultValue = "1000",
      description = "Operations in benchmarks that count requests; ${DEFAULT-VALUE}.")
  private int operations;

  @Option(
      names = "--records",
      defaultValue = "10000",
      description = "Entries of a cache in benchmarks that measure time; ${DEFAULT-VALUE}.")
  private int records;

  @Option(
      names = "--keys",
      defaultValue = "100000",
      description = "Keys that a client reads in the benchmark of its memory; ${DEFAULT-VALUE}.")
  private int keys;

  @Option(
      names = "--nodes",
      defaultValue = "3",
      description = "Nodes of each of the three sites; ${DEFAULT-VALUE}.")
  private int nodes;

  @Mixin private BenchmarkWanOptions wan = new BenchmarkWanOptions();

  @Option(
      names = "--threads",
      defaultValue = "8",
      description = "Operations in flight in wide-area; ${DEFAULT-VALUE}.")
  private int threads;

  @Mixin private OutagePlanOptions outage = new OutagePlanOptions();
  @Mixin private ObjectPlanOptions objectPlan = new ObjectPlanOptions();
  @Mixin private VersionPlanOptions versions = new VersionPlanOptions();
  @Mixin private ZooFencePlanOptions zooFence = new ZooFencePlanOptions();

  @Option(
      names = "--figures",
      defaultValue = "docs/figures",
      description = "Directory for figures; ${DEFAULT-VALUE}.")
  private Path figures = Path.of("docs/figures");

  @Option(names = "--json", description = "Prints a list of results in JSON.")
  private boolean json;

  private final List<String> arguments;

  private Measure(String... arguments) {
    this.arguments = List.of(arguments);
  }

  /** The program; ends the JVM. */
  public static void main(String[] args) {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // the same on every machine
    LogSilencer.ofLibraries();
    System.exit(
        new CommandLine(new Measure(args)).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
  }

  @Override
  public Integer call() {
    BenchmarkOptions effort =
        new BenchmarkOptions(
            sliceMillis,
            rounds,
            operations,
            records,
            keys,
            nodes,
            wan.wan(),
            threads,
            outage.outage(figures),
            objectPlan.objectPlan(figures),
            versions.plan(),
            zooFence.queues(),
            zooFence.ledgers(),
            line -> System.err.println("measure: " + line));
    List<Result> results = new ArrayList<>();
    for (Benchmark question : questions) {
      String start = Instant.now().toString();
      MachineReport machine = MachineReport.here();
      CodeRevision revision = CodeRevision.current();
      BenchmarkResult answer;
      try {
        answer = question.answer(effort);
      } catch (RuntimeException failure) {
        System.err.println("measure: FAILED: " + question + ": " + failure);
        return 1;
      }
      Result result =
          new Result(
              question.toString(),
              answer.figures(),
              start,
              Measure.class.getName() + " " + String.join(" ", arguments),
              revision,
              machine);
      results.add(result);
      if (!json) {
        print(result, answer);
      }
    }
    if (json) {
      System.out.println(ResultJson.of(results));
    }
    return 0;
  }

  private static void print(Result result, BenchmarkResult answer) {
    MachineReport machine = result.machine();
    System.out.printf(
        "%s at %s of %s, %d processors, load %.1f, %s%n%n",
        result.question(),
        result.revision().commit(),
        result.startedAt(),
        machine.processors(),
        machine.loadAverage(),
        machine.jvm());
    answer.lines().forEach(System.out::println);
    System.out.println();
  }
}

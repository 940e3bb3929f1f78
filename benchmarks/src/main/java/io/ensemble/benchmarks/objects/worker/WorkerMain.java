package io.ensemble.benchmarks.objects.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.report.LogSilencer;
import io.ensemble.testkit.process.child.ChildProgram;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * A process with clients: reads one {@link WorkerTask} per line, answers each with a {@link
 * WorkerReport}, and ends when its standard input does.
 */
final class WorkerMain {

  static final String REPORT = "report ";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Connections connections;
  private final List<BenchmarkClient> clients = new ArrayList<>();

  private WorkerMain(Connections connections) {
    this.connections = connections;
  }

  /** Its argument is a {@link WorkerEndpoints} as JSON. */
  public static void main(String[] args) {
    LogSilencer.ofLibraries();
    ChildProgram.run(() -> work(args));
  }

  private static void work(String[] args) throws Exception {
    try (Connections connections = new Connections(JSON.readValue(args[0], WorkerEndpoints.class));
        BufferedReader tasks = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      WorkerMain worker = new WorkerMain(connections);
      for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
        WorkerReport report = worker.execute(JSON.readValue(line, WorkerTask.class));
        System.out.println(REPORT + JSON.writeValueAsString(report));
      }
    }
  }

  private WorkerReport execute(WorkerTask task) throws Exception {
    return switch (task.kind()) {
      case OPEN -> {
        for (int client : task.clients()) {
          clients.add(task.contestant().open(connections, task.object(), client));
        }
        yield WorkerReport.of(total(task));
      }
      case RUN -> {
        ClosedLoopClients.LoopResult ran =
            task.perSecond() > 0
                ? PoissonArrivals.run(task, clients)
                : ClosedLoopClients.run(task, clients);
        yield new WorkerReport(
            0, // Others may not have ended yet.
            ran.done(),
            ran.notBegun(),
            WorkerReport.encoded(ran.latencies()),
            ManagementFactory.getThreadMXBean().getThreadCount());
      }
      case CLOSE -> {
        long total = total(task);
        for (BenchmarkClient benchmarkClient : clients) {
          benchmarkClient.close();
        }
        clients.clear();
        yield WorkerReport.of(total);
      }
    };
  }

  /**
   * The total of an object that all share is reported by the process with the first client only.
   */
  private long total(WorkerTask task) throws Exception {
    long total = 0;
    for (int i = 0; i < clients.size(); i++) {
      total +=
          task.contestant().isShared() && task.clients().get(i) > 0 ? 0 : clients.get(i).total();
    }
    return total;
  }
}

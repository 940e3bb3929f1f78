package io.ensemble.cli.objects;

import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ListedObject;
import io.ensemble.objects.store.EnsembleObjectStore;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.infinispan.commons.util.CloseableIterator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@Command(
    name = "list",
    description = {
      "List the atomic objects on an MWMR cache by name, with their types.",
      "Reads every key of the cache, and the entry of each object."
    })
final class ObjectsListCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "CACHE", description = "Name of the MWMR cache.")
  String cache = "";

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "Only objects whose names begin with PREFIX.")
  String prefix = "";

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      defaultValue = "10000",
      description = "Maximum number of objects, at least 1; default: ${DEFAULT-VALUE}.")
  int limit;

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new ParameterException(
          reporting.spec().commandLine(), "--limit must be at least 1; got " + limit);
    }
    try (FederationConnection connected = federation.connect()) {
      EnsembleCache<String, byte[]> entries = connected.cache(cache);
      if (entries.definition().mode() != Mode.MWMR) {
        throw new CommandException("objects require an MWMR cache; cache=%s".formatted(cache));
      }
      Objects objects = list(entries);
      reporting.report(objects, out -> show(out, objects));
      return ExitCode.OK;
    }
  }

  private Objects list(EnsembleCache<String, byte[]> entries) {
    Map<String, ListedObject> objects = new TreeMap<>(); // A name may be returned more than once.
    try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(entries));
        CloseableIterator<ListedObject> listed = factory.list(prefix)) {
      while (listed.hasNext()) {
        ListedObject object = listed.next();
        if (objects.size() == limit && !objects.containsKey(object.name())) {
          return new Objects(List.copyOf(objects.values()), true);
        }
        objects.put(object.name(), object);
      }
    }
    return new Objects(List.copyOf(objects.values()), false);
  }

  private void show(PrintWriter out, Objects listed) {
    if (listed.objects.isEmpty()) {
      out.println("no objects");
      return;
    }
    TextTable table = new TextTable("object", "type");
    listed.objects.forEach(object -> table.row(object.name(), object.type()));
    table.print(out, Terminal.coloursOnOut());
    if (listed.more) {
      out.printf("more than %d objects; see --limit and --prefix%n", limit);
    }
  }

  private record Objects(List<ListedObject> objects, boolean more) {}
}

package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.rest.access.AccessControl;
import io.ensemble.rest.access.SiteRegistrationRules;
import io.ensemble.rest.audit.AuditFile;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.trace.RequestTracer;
import io.ensemble.site.address.AddressPolicy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Schemathesis sends all requests that the document describes, and many that it does not. The
 * service has no fault, and gives no answer that the document does not describe.
 */
@Tag("deep")
class SchemathesisIT {

  private static final Path PROGRAM =
      Path.of("../ensemble-rest/target/schemathesis/bin/schemathesis");
  private static final Path SETTINGS =
      Path.of("../ensemble-rest/src/test/schemathesis/schemathesis.toml");
  private static final String TOKEN = "a-token-of-the-test-and-of-nobody-else";
  private static final Pattern TESTED = Pattern.compile("Tested: (\\d+)");
  private static final Pattern GENERATED = Pattern.compile("(\\d+) generated");
  private static final int LONGEST_MINUTES = 20;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatTheDocumentTellsIsSo(boolean withToken) throws Exception {
    assumeTrue(Files.isExecutable(PROGRAM), "no Schemathesis here: ./install-schemathesis");
    try (RestFixture restFixture = new RestFixture();
        AccessControl access =
            AccessControl.local(
                TOKEN::toCharArray, new AuditFile(directory.resolve("audit"), 64 << 20, 1));
        RestService service =
            RestService.start(
                restFixture.manager,
                restFixture.meters,
                new InetSocketAddress("127.0.0.1", 0),
                withToken ? access.requestAuthorizer() : RequestAuthorizer.OPEN,
                Optional.empty(),
                Optional.of(
                    SiteRegistrationRules.ofThisHost(AddressPolicy.allowing("127.0.0.1/32:1"))),
                RequestTracer.NONE,
                RestLimits.DEFAULT)) {
      populate(restFixture);

      int operations = operations(service.address());

      String said = asked(service.address(), withToken);

      System.out.println(said);
      // Also the one that returns the document: Schemathesis reads it without a version first, and
      // tests the operations below the version, the first server of the document.
      assertThat(found(TESTED, said)).as(said).isEqualTo(operations);
      assertThat(found(GENERATED, said)).as(said).isGreaterThan(operations * 10);
      assertThat(said).doesNotContainPattern("(?m)^- ST[0-9]+ ");
    }
  }

  private static int operations(URI service) throws Exception {
    HttpRequest document = HttpRequest.newBuilder(URI.create(service + "/openapi.json")).build();
    int all = 0;
    for (JsonNode path :
        StrictJson.parse(
                HttpClient.newHttpClient().send(document, BodyHandlers.ofByteArray()).body())
            .get("paths")) {
      all += path.size();
    }
    return all;
  }

  private static int found(Pattern number, String said) {
    Matcher matcher = number.matcher(said);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
  }

  /** Creates the caches that the settings name. */
  private static void populate(RestFixture restFixture) {
    List<String> all = new ArrayList<>(List.of("news", "ledger", "orders", "one", "two"));
    IntStream.rangeClosed(1, 4).forEach(number -> all.add("doomed-" + number));
    for (String name : all) {
      Mode mode = name.equals("news") ? Mode.WEAK : name.equals("ledger") ? Mode.SWMR : Mode.MWMR;
      restFixture.manager.createCache(
          CacheDefinition.of(name, mode).sites("lyon", "oslo", "rome").build());
    }
    restFixture.manager.createDistributed(DistributedDefinition.of("split", "one", "two"));
  }

  private String asked(URI service, boolean withToken) throws Exception {
    Path written = directory.resolve("written");
    List<String> command =
        new ArrayList<>(
            List.of(
                PROGRAM.toAbsolutePath().toString(),
                "--no-color",
                "--config-file",
                SETTINGS.toAbsolutePath().toString(),
                "run",
                service + "/openapi.json",
                "--seed",
                "1"));
    command.addAll(
        withToken
            ? List.of("--header", "Authorization: Bearer " + TOKEN)
            : List.of("--exclude-checks", "ignored_auth"));
    Process schemathesis =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(written.toFile())
            .start();
    try {
      assertThat(schemathesis.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).isTrue();
      return Files.readString(written);
    } finally {
      schemathesis.destroyForcibly();
    }
  }
}

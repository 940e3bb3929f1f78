package io.ensemble.cli.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.doctor.CertificateFindings;
import io.ensemble.check.doctor.ClockFindings;
import io.ensemble.check.doctor.ClockReading;
import io.ensemble.check.doctor.Finding;
import io.ensemble.check.doctor.NodeClock;
import io.ensemble.check.doctor.PermissionFindings;
import io.ensemble.check.doctor.ReachabilityFindings;
import io.ensemble.check.doctor.ReachabilityFindings.NodePing;
import io.ensemble.check.doctor.VersionFindings;
import io.ensemble.check.federation.CertificateReader;
import io.ensemble.check.federation.FederationDescriptor;
import io.ensemble.check.federation.LoginCheck;
import io.ensemble.check.federation.NodeRestClient;
import io.ensemble.check.federation.NodeRestClient.Response;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SiteStatus;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the nodes of one site report of themselves. Sends only requests that change nothing. */
final class SiteChecks {

  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(5);
  private static final int SMALL = 1 << 20;
  private static final int THREAD_DUMP = 16 << 20;

  private final SiteDescriptor site;
  private final SiteConfiguration configuration;

  /**
   * What REST said of a site.
   *
   * @param findings its findings, except those about clocks
   * @param clocks the clocks that could be read
   * @param unread the findings about clocks that could not
   */
  record RestReport(List<Finding> findings, List<ClockReading> clocks, List<Finding> unread) {}

  /** What REST said of a node; null for what it did not say. */
  private record NodeReport(
      @Nullable String version,
      @Nullable String java,
      @Nullable ClockReading clock,
      @Nullable List<String> permissions,
      String why) {}

  /**
   * @throws io.ensemble.check.process.CommandException if the description of the site is invalid,
   *     or a secret cannot be read
   */
  SiteChecks(SiteDescriptor site) {
    this.site = site;
    this.configuration = site.configuration();
  }

  SiteConfiguration configuration() {
    return configuration;
  }

  /** Pings every node, and logs in. */
  List<Finding> reachability(String catalog) {
    SiteStatus status =
        SiteStatus.of(
                new FederationDescriptor(
                    FederationDescriptor.VERSION, 0, null, List.of(site), catalog))
            .get(0);
    List<Finding> findings =
        new ArrayList<>(
            ReachabilityFindings.of(
                site.name(),
                status.nodes().stream()
                    .map(node -> new NodePing(node.endpoint(), node.pingMillis(), node.error()))
                    .toList()));
    LoginCheck login = status.login();
    if (login != null) {
      findings.add(ReachabilityFindings.ofLogin(site.name(), login.user(), login.error()));
    }
    return findings;
  }

  /** Reads versions, clocks and permissions over REST. */
  RestReport rest() throws IOException {
    List<Finding> findings = new ArrayList<>();
    List<ClockReading> clocks = new ArrayList<>();
    List<Finding> unread = new ArrayList<>();
    Map<String, String> versions = new TreeMap<>();
    List<String> granted = null;
    String whyNot = "";
    for (Endpoint endpoint : configuration.endpoints()) {
      String subject = site.name() + " " + endpoint;
      NodeReport node = node(endpoint, subject);
      findings.addAll(VersionFindings.of(subject, node.version(), node.java(), node.why()));
      if (node.version() != null) {
        versions.put(subject, node.version());
      }
      if (node.clock() == null) {
        unread.add(ClockFindings.unknown(subject, node.why()));
      } else {
        clocks.add(node.clock());
      }
      if (granted == null) {
        granted = node.permissions();
        whyNot = node.why();
      }
    }
    findings.addAll(VersionFindings.mixed(site.name(), versions));
    findings.add(permissions(granted, whyNot));
    return new RestReport(findings, clocks, unread);
  }

  private Finding permissions(@Nullable List<String> granted, String whyNot) {
    Credentials credentials = configuration.credentials();
    if (credentials == null) {
      return PermissionFindings.open(site.name());
    }
    return granted == null
        ? PermissionFindings.unknown(site.name(), whyNot)
        : PermissionFindings.of(site.name(), credentials.user(), granted);
  }

  private NodeReport node(Endpoint endpoint, String subject) throws IOException {
    NodeRestClient client = NodeRestClient.at(configuration, endpoint);
    try {
      Response server = client.get("/rest/v2/server", LONGEST_REQUEST, SMALL);
      if (!server.isOk()) {
        return new NodeReport(null, null, null, null, refusal(client, server));
      }
      String version = json(server).path("version").asText(null);
      Response environment = client.get("/rest/v2/server/env", LONGEST_REQUEST, SMALL);
      JsonNode properties = environment.isOk() ? json(environment) : null;
      String java = properties == null ? null : properties.path("java.version").asText(null);
      String zone = properties == null ? null : properties.path("user.timezone").asText(null);
      Optional<ClockReading> clock =
          NodeClock.inDate(
              subject, server.headers().get("date"), server.asked(), server.answered());
      String why =
          properties == null ? refusal(client, environment) : "the node does not report it";
      if (clock.isEmpty() && zone != null) {
        Response threads = client.get("/rest/v2/server/threads", LONGEST_REQUEST, THREAD_DUMP);
        clock =
            threads.isOk()
                ? NodeClock.inThreadDump(
                    subject, threads.body(), zone, threads.asked(), threads.answered())
                : clock;
      }
      return new NodeReport(version, java, clock.orElse(null), permissions(client), why);
    } catch (IOException e) {
      return new NodeReport(null, null, null, null, String.valueOf(e.getMessage()));
    }
  }

  private @Nullable List<String> permissions(NodeRestClient client) throws IOException {
    if (configuration.credentials() == null) {
      return null;
    }
    Response acl = client.get("/rest/v2/security/user/acl", LONGEST_REQUEST, SMALL);
    JsonNode global = acl.isOk() ? json(acl).get("global") : null;
    if (global == null || !global.isArray()) {
      return null;
    }
    List<String> granted = new ArrayList<>();
    global.forEach(one -> granted.add(one.asText()));
    return granted;
  }

  private static JsonNode json(Response response) throws IOException {
    try {
      return JsonOutput.mapper().readTree(response.body());
    } catch (JsonProcessingException e) {
      throw new IOException("the port serves another REST interface", e);
    }
  }

  private static String refusal(NodeRestClient client, Response response) {
    if (response.status() == 401 && client.withholdsPassword()) {
      return "REST requires a login, and the password is not sent in clear text";
    }
    return "REST answers with status " + response.status();
  }

  /** Reads the certificates that the nodes present, and those in the files of the site's entry. */
  List<Finding> certificates(Instant now) {
    Tls tls = configuration.tls();
    if (tls == null) {
      return List.of(CertificateFindings.clearText(site.name()));
    }
    List<Finding> findings = new ArrayList<>();
    for (Endpoint endpoint : configuration.endpoints()) {
      String subject = site.name() + " " + endpoint;
      findings.add(
          judged(
              subject,
              "certificate",
              () -> CertificateReader.presented(configuration, endpoint, LONGEST_REQUEST),
              now));
    }
    findings.add(
        judged(
            tls.trustStore().toString(),
            "trust store",
            () -> CertificateReader.inTrustStore(tls),
            now));
    Path keys = tls.keyStore();
    if (keys != null) {
      findings.add(
          judged(keys.toString(), "key store", () -> CertificateReader.inKeyStore(tls), now));
    }
    Path lists = tls.revocationList();
    if (lists != null) {
      try {
        findings.add(
            CertificateFindings.ofLists(
                lists.toString(),
                CertificateReader.completeLists(lists).stream().map(SiteChecks::list).toList(),
                now));
      } catch (IOException e) {
        findings.add(
            CertificateFindings.unreadable(lists.toString(), String.valueOf(e.getMessage())));
      }
    }
    return findings;
  }

  private static CertificateFindings.RevocationList list(X509CRL list) {
    Date next = list.getNextUpdate();
    return new CertificateFindings.RevocationList(
        list.getIssuerX500Principal().getName(),
        list.getThisUpdate().toInstant(),
        next == null ? null : next.toInstant());
  }

  private interface ChainSource {
    List<X509Certificate> read() throws IOException;
  }

  private static Finding judged(String subject, String what, ChainSource source, Instant now) {
    try {
      return CertificateFindings.of(
          subject,
          what,
          source.read().stream()
              .map(
                  one ->
                      new CertificateFindings.Certificate(
                          one.getSubjectX500Principal().getName(),
                          one.getNotBefore().toInstant(),
                          one.getNotAfter().toInstant()))
              .toList(),
          now);
    } catch (IOException e) {
      return CertificateFindings.unreadable(subject, String.valueOf(e.getMessage()));
    }
  }
}

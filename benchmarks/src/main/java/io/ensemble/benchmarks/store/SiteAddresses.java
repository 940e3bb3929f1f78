package io.ensemble.benchmarks.store;

import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.util.ArrayList;
import java.util.List;

/** The sites of a federation as text: {@code lyon=127.0.0.1:1234,127.0.0.1:1235;oslo=…}. */
public final class SiteAddresses {

  private SiteAddresses() {}

  /**
   * Reads the text.
   *
   * @return the sites in the order given, at least one
   * @throws IllegalArgumentException if the text is invalid; the message has the reason
   */
  public static List<SiteConfiguration> parse(String text) {
    List<SiteConfiguration> sites = new ArrayList<>();
    for (String site : text.split(";", -1)) {
      if (site.isBlank()) {
        continue;
      }
      int equals = site.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException(
            "endpoints must be site=host:port,host:port;site=…; got '" + site + "'");
      }
      SiteConfiguration.Builder builder =
          SiteConfiguration.builder(site.substring(0, equals).strip());
      for (String endpoint : site.substring(equals + 1).split(",", -1)) {
        builder.endpoint(Endpoint.parse(endpoint.strip()));
      }
      sites.add(builder.build());
    }
    if (sites.isEmpty()) {
      throw new IllegalArgumentException(
          "endpoints must have at least one site; got '" + text + "'");
    }
    long names = sites.stream().map(SiteConfiguration::name).distinct().count();
    if (names < sites.size()) {
      throw new IllegalArgumentException("endpoints must list each site once; got '" + text + "'");
    }
    return List.copyOf(sites);
  }

  /** The text for an embedded federation. */
  public static String of(EmbeddedFederation federation) {
    return String.join(
        ";",
        federation.sites().stream()
            .map(
                site ->
                    site.name()
                        + "="
                        + String.join(
                            ",",
                            site.endpoints().stream()
                                .map(node -> node.getHostString() + ":" + node.getPort())
                                .toList()))
            .toList());
  }
}

package io.ensemble.testkit.process;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a node's configuration says of its site's keys: nothing, where there are none. The passwords
 * of stores stand in it, so the file is to be its owner's alone.
 *
 * <p>What Ensemble needs of a site: to create and remove stores, to read, write and iterate over
 * them, and to see their statistics; servers of 16.0.7 want ADMIN of whoever creates a cache over
 * Hot Rod, CREATE alone does not do. The other user has a role without permissions, which suffices
 * to ask a node how it is.
 */
record NodeSecurity(@Nullable SiteKeys keys) {

  private static final String PERMISSIONS = "ADMIN CREATE READ WRITE BULK_READ MONITOR";

  /** Of the transport between nodes: a node without the site's key is let in by none. */
  String transport() {
    if (keys == null) {
      return "";
    }
    String password = SiteKeys.read(keys.storePassword());
    return (" tls.enabled=\"true\" tls.protocols=\"TLSv1.3\" tls.client_auth=\"NEED\""
            + " tls.keystore_path=\"%s\" tls.keystore_password=\"%s\" tls.keystore_type=\"PKCS12\""
            + " tls.truststore_path=\"%s\" tls.truststore_password=\"%s\""
            + " tls.truststore_type=\"PKCS12\"")
        .formatted(xml(keys.cluster()), password, xml(keys.clusterTrust()), password);
  }

  /** Of the cache container. */
  String authorization() {
    return keys == null || !keys.users()
        ? ""
        : """
          <security><authorization>
            <identity-role-mapper/>
            <role name="%s" permissions="%s"/>
            <role name="%s" permissions="NONE"/>
          </authorization></security>
        """
            .formatted(SiteKeys.FEDERATION, PERMISSIONS, SiteKeys.WATCH);
  }

  /** Of the server. */
  String realm() {
    if (keys == null) {
      return "";
    }
    String users =
        keys.users()
            ? """
              <properties-realm groups-attribute="Roles">
                <user-properties path="%s"/>
                <group-properties path="%s"/>
              </properties-realm>
            """
                .formatted(xml(keys.userProperties()), xml(keys.groupProperties()))
            : "";
    return """
    <security><security-realms><security-realm name="site">
      <server-identities><ssl>
        <keystore path="%s" password="%s" type="PKCS12"/>
        <engine enabled-protocols="TLSv1.3 TLSv1.2"/>
      </ssl></server-identities>
      %s
    </security-realm></security-realms></security>
    """
        .formatted(xml(keys.server()), SiteKeys.read(keys.storePassword()), users);
  }

  /** Of the endpoint. */
  String endpoint() {
    return keys == null ? "" : " security-realm=\"site\"";
  }

  /** Of Hot Rod. */
  String hotRod() {
    return keys == null || !keys.users()
        ? ""
        : "<authentication><sasl mechanisms=\"SCRAM-SHA-512\" server-name=\"infinispan\""
            + " qop=\"auth\"/></authentication>";
  }

  /** Of REST. */
  String rest() {
    return keys == null || !keys.users() ? "" : "<authentication mechanisms=\"BASIC\"/>";
  }

  private static String xml(Path path) {
    return path.toString().replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
  }
}

package io.ensemble.testkit.process;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The security sections of a node's configuration; empty if the site has no keys. They contain the
 * passwords of stores, so only the owner may read the file.
 *
 * <p>Ensemble needs these permissions at a site: create and remove stores, read, write and iterate
 * over them, and read their statistics. Servers of 16.0.7 require ADMIN for the creation of a cache
 * over Hot Rod; CREATE alone does not suffice. The other user has a role without permissions, which
 * suffices to read the health of a node.
 */
record NodeSecurity(@Nullable SiteKeys keys) {

  private static final String PERMISSIONS = "ADMIN CREATE READ WRITE BULK_READ MONITOR";

  /** The section of the transport between nodes: a node without the key of the site cannot join. */
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

  /** The section of the cache container. */
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

  /** The section of the server. */
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
        %s
        <engine enabled-protocols="TLSv1.3 TLSv1.2"/>
      </ssl></server-identities>
      %s
    </security-realm></security-realms></security>
    """
        .formatted(xml(keys.server()), SiteKeys.read(keys.storePassword()), trust(keys), users);
  }

  /** The authority that signs the certificates of clients, if they must present one. */
  private static String trust(SiteKeys keys) {
    return keys.certificates()
        ? "<truststore path=\"%s\" password=\"%s\" type=\"PKCS12\"/>"
            .formatted(xml(keys.trust()), SiteKeys.read(keys.trustPassword()))
        : "";
  }

  /** The section of the endpoint. */
  String endpoint() {
    if (keys == null) {
      return "";
    }
    return " security-realm=\"site\""
        + (keys.certificates() ? " require-ssl-client-auth=\"true\"" : "");
  }

  /** The section of Hot Rod. */
  String hotRod() {
    return keys == null || !keys.users()
        ? ""
        : "<authentication><sasl mechanisms=\"SCRAM-SHA-512\" server-name=\"infinispan\""
            + " qop=\"auth\"/></authentication>";
  }

  /** The section of REST. */
  String rest() {
    return keys == null || !keys.users() ? "" : "<authentication mechanisms=\"BASIC\"/>";
  }

  private static String xml(Path path) {
    return path.toString().replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
  }
}

package io.ensemble.testkit.process;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one node, as the server reads it.
 *
 * @param site the name of its site, and so of all its Hot Rod servers: the name is part of the
 *     topology cache, and with different names clients see no topology
 * @param cluster the name of its cluster, which must be unique, or two clusters would merge
 * @param clusterPort the port for its peers; the next port is the failure detector's
 * @param peerPorts the cluster ports of all nodes of the site
 * @param port the port for Hot Rod and REST
 * @param announcedPort the port announced to clients; null for {@code port}
 * @param security the requirements for clients and peers
 */
record NodeConfiguration(
    String site,
    String cluster,
    String name,
    int clusterPort,
    List<Integer> peerPorts,
    int port,
    @Nullable Integer announcedPort,
    NodeSecurity security) {

  /**
   * Infinispan's own stack for TCP, with a list of addresses in place of multicast. Nodes that lost
   * contact search for each other every few seconds, not every half minute. A killed node leaves a
   * lock on its disk. The lock is ignored, because it does not show which node is complete.
   */
  String server() {
    return """
    <infinispan>
      <jgroups>
        <stack name="site" extends="tcp">
          <TCP bind_addr="127.0.0.1" bind_port="%1$d" port_range="0" thread_pool.max_threads="50"%8$s/>
          <TCPPING initial_hosts="%2$s" port_range="0" stack.combine="REPLACE" stack.position="MPING"/>
          <FD_SOCK2 offset="1" port_range="1"/>
          <MERGE3 min_interval="1000" max_interval="3000"/>
        </stack>
      </jgroups>
      <cache-container name="default" statistics="false">
        <transport stack="site" cluster="%3$s" node-name="%4$s"/>
        %9$s
        <metrics gauges="false" histograms="false"/>
        <global-state unclean-shutdown-action="IGNORE"/>
      </cache-container>
      <server xmlns="urn:infinispan:server:16.0">
        <interfaces><interface name="loopback"><inet-address value="127.0.0.1"/></interface></interfaces>
        <socket-bindings default-interface="loopback" port-offset="0">
          <socket-binding name="default" port="%5$d"/>
        </socket-bindings>
        %10$s
        <endpoints>
          <endpoint socket-binding="default"%11$s>
            <hotrod-connector name="%6$s"%7$s>%12$s</hotrod-connector>
            <rest-connector name="rest">%13$s</rest-connector>
          </endpoint>
        </endpoints>
      </server>
    </infinispan>
    """
        .formatted(
            clusterPort,
            peers(),
            cluster,
            name,
            port,
            site,
            announced(),
            security.transport(),
            security.authorization(),
            security.realm(),
            security.endpoint(),
            security.hotRod(),
            security.rest());
  }

  private String peers() {
    return peerPorts.stream().map("127.0.0.1[%d]"::formatted).collect(Collectors.joining(","));
  }

  private String announced() {
    return announcedPort == null
        ? ""
        : " external-host=\"127.0.0.1\" external-port=\"%d\"".formatted(announcedPort);
  }

  String logging() {
    return """
    <Configuration name="node" shutdownHook="disable">
      <Appenders>
        <RollingFile name="FILE" fileName="${sys:infinispan.server.log.path}/server.log"
            filePattern="${sys:infinispan.server.log.path}/server.%i.log">
          <Policies><SizeBasedTriggeringPolicy size="10 MB"/></Policies>
          <DefaultRolloverStrategy max="2"/>
          <PatternLayout pattern="%d{ISO8601} %-5p (%t) [%c] %m%throwable%n"/>
        </RollingFile>
      </Appenders>
      <Loggers>
        <Root level="WARN"><AppenderRef ref="FILE"/></Root>
        <Logger name="org.infinispan.rest.RestRequestHandler" level="ERROR"/>
        <Logger name="org.infinispan.SERVER" level="INFO"/>
        <Logger name="org.infinispan.CLUSTER" level="INFO"/>
        <Logger name="org.infinispan.CONTAINER" level="INFO"/>
      </Loggers>
    </Configuration>
    """;
  }
}

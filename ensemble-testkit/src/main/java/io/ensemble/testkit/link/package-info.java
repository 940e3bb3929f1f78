/**
 * The link between clients and the nodes of a site: its faults ({@code NodeLink}), its delay and
 * bandwidth ({@code SiteLink}), the relay in front of a node, and a measurement of the actual link.
 * The node announces the address of the relay as its own, so that clients with the topology cannot
 * bypass the relay.
 */
@NullMarked
package io.ensemble.testkit.link;

import org.jspecify.annotations.NullMarked;

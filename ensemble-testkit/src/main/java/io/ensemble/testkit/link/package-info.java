/**
 * The wire between clients and the nodes of a site: what goes wrong on it ({@code NodeLink}), how
 * far and how wide it is ({@code SiteLink}), the relay that stands in front of a node and is
 * announced to clients in its place, so that their topology cannot route around it, and a
 * measurement of what all this really gives.
 */
@NullMarked
package io.ensemble.testkit.link;

import org.jspecify.annotations.NullMarked;

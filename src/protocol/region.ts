/**
 * An account's object is near the shop, so that no round trip crosses an ocean. The platform uses the hint when it
 * creates the object, and never moves it
 * (https://developers.cloudflare.com/durable-objects/reference/data-location/#provide-a-location-hint).
 */
import { offsetAt } from "./time/zone.ts";

export const REGIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;

export type Region = (typeof REGIONS)[number];

const BY_AREA: Readonly<Record<string, Region>> = {
  Africa: "afr",
  Antarctica: "oc",
  Arctic: "weur",
  Asia: "apac",
  Atlantic: "weur",
  Australia: "oc",
  Europe: "weur",
  Indian: "apac",
  Pacific: "oc",
};

const MIDDLE_EAST = zones(
  "Asia",
  "Aden Amman Baghdad Bahrain Beirut Damascus Dubai Gaza Hebron Jerusalem Kuwait Muscat Nicosia Qatar Riyadh Tehran",
);

const EASTERN_EUROPE = zones(
  "Europe",
  "Athens Belgrade Bratislava Bucharest Budapest Chisinau Helsinki Istanbul Kiev Kyiv Minsk Moscow Riga Sarajevo Skopje " +
    "Sofia Tallinn Vilnius Warsaw Zagreb",
);

const SOUTH_AMERICA = zones(
  "America",
  "Araguaina Asuncion Bahia Belem Boa_Vista Bogota Campo_Grande Caracas Cayenne Cuiaba Eirunepe Fortaleza Guayaquil " +
    "Guyana La_Paz Lima Maceio Manaus Montevideo Noronha Paramaribo Porto_Velho Recife Rio_Branco Santarem Santiago " +
    "Sao_Paulo",
);

/** West of this offset from UTC, in minutes, the west coast is nearer. */
const WESTERN_OFFSET = -7 * 60;

/** A day in winter, when no clock in the north is set forward. */
const WINTER = Date.UTC(2026, 0, 15);

/** Returns undefined if the zone has no region (UTC). */
export function findRegion(timezone: string): Region | undefined {
  if (MIDDLE_EAST.has(timezone)) return "me";
  if (EASTERN_EUROPE.has(timezone)) return "eeur";
  if (SOUTH_AMERICA.has(timezone) || timezone.startsWith("America/Argentina/")) return "sam";
  const [area = ""] = timezone.split("/");
  if (area === "America" || area === "US" || area === "Canada") {
    return offsetAt(WINTER, timezone) <= WESTERN_OFFSET ? "wnam" : "enam";
  }
  return BY_AREA[area];
}

function zones(area: string, names: string): ReadonlySet<string> {
  return new Set(names.split(" ").map((name) => `${area}/${name}`));
}

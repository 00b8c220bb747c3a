/** The types of the file that holds all of echarts. */
declare module "echarts/dist/echarts.esm.min" {
  export * from "echarts";
}

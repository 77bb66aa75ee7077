"use strict";
const scale={ns:1e-9,"µs":1e-6,ms:1e-3,s:1,min:60,h:3600,kB:1e3,MB:1e6,GB:1e9,"kB/s":1e3,"MB/s":1e6,"GB/s":1e9,"kbit/s":1e3,"Mbit/s":1e6,"Gbit/s":1e9};
function value(cell){
const text=cell.textContent.trim(),share=/ of .*\(([\d.]+) %\)/.exec(text);
if(share)return parseFloat(share[1]);
const found=/^(?:\([^)]*\)|[^-\d])*(-?[\d,]+(?:\.\d+)?)(?: to [\d,.]+)?\s*([^\s.]*)/.exec(text);
return found?parseFloat(found[1].replace(/,/g,""))*(scale[found[2]]??1):-Infinity;
}
const hint=document.createElement("p");
hint.className="note";
hint.textContent="Tables sort by a click on a column's heading (\u2195).";
document.querySelector("nav")?.after(hint);
for(const table of document.querySelectorAll("table")){
const body=table.tBodies[0],rows=[...body.rows],heads=table.tHead.rows[table.tHead.rows.length-1].cells;
if(rows.length<2||rows.some(row=>!row.cells[0].textContent))continue;
for(const [n,head] of [...heads].entries()){
if(!head.textContent||rows.some(row=>row.cells[n]?.querySelector("svg")))continue;
const button=document.createElement("button");
button.type="button";
button.textContent=head.textContent;
head.replaceChildren(button);
button.addEventListener("click",()=>{
const number=head.classList.contains("n"),now=head.getAttribute("aria-sort");
const down=now?now==="ascending":number;
for(const other of heads)other.removeAttribute("aria-sort");
head.setAttribute("aria-sort",down?"descending":"ascending");
const order=(a,b)=>number?value(a.cells[n])-value(b.cells[n]):a.cells[n].textContent.localeCompare(b.cells[n].textContent);
body.append(...rows.sort((a,b)=>down?order(b,a):order(a,b)));
});
}
}
